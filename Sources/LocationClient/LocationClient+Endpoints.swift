// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// Makes a client out of its endpoints.
  ///
  /// An endpoint that is left out is that of a board which has nothing of the kind: the getters
  /// say that it cannot be had, and starting it does nothing. A test that wants to know of every
  /// use takes the `unimplemented` client instead, and gives it the endpoints that may be used.
  ///
  /// - Parameters:
  ///   - authorizationStatus: Whether the program may know.
  ///   - accuracyAuthorization: How precisely.
  ///   - locationServicesEnabled: Whether the switch for the whole board is on.
  ///   - diagnostics: Why nothing comes; where left out, as far as the status tells.
  ///   - requestWhenInUseAuthorization: Asks to know while in use.
  ///   - requestAlwaysAuthorization: Asks to know at any time.
  ///   - requestTemporaryFullAccuracyAuthorization: Asks for full accuracy; where left out,
  ///     refused.
  ///   - beginActivity: Declares that the program is in use.
  ///   - endActivity: Ends that.
  ///   - requestLocation: Asks for one location.
  ///   - startUpdatingLocation: Starts updates.
  ///   - stopUpdatingLocation: Ends updates.
  ///   - startMonitoringSignificantLocationChanges: Starts to tell of large changes.
  ///   - stopMonitoringSignificantLocationChanges: Ends that.
  ///   - startMonitoringVisits: Starts to tell of stays.
  ///   - stopMonitoringVisits: Ends that.
  ///   - startUpdatingHeading: Starts to tell where the bow points.
  ///   - stopUpdatingHeading: Ends that.
  ///   - startMonitoringForRegion: Starts to monitor a region.
  ///   - stopMonitoringForRegion: Ends that.
  ///   - requestStateForRegion: Asks where the board is with regard to a region.
  ///   - monitoredRegions: The regions that are monitored.
  ///   - set: Changes settings.
  ///   - headingAvailable: Whether headings can be had.
  ///   - significantLocationChangeMonitoringAvailable: Whether significant changes can be told.
  ///   - isRegionMonitoringAvailable: Whether regions can be monitored.
  ///   - maximumRegionMonitoringDistance: The largest radius of a region.
  ///   - location: The location delivered last.
  ///   - heading: The heading delivered last.
  ///   - delegate: Starts to listen.
  public init(
    authorizationStatus: @escaping @Sendable () -> AuthorizationStatus,
    accuracyAuthorization: @escaping @Sendable () -> AccuracyAuthorization = { .fullAccuracy },
    locationServicesEnabled: @escaping @Sendable () -> Bool = { true },
    diagnostics: (@Sendable () -> LocationDiagnostics)? = nil,
    requestWhenInUseAuthorization: @escaping @Sendable () -> Void,
    requestAlwaysAuthorization: @escaping @Sendable () -> Void,
    requestTemporaryFullAccuracyAuthorization:
      @escaping @Sendable (String) async throws(LocationError) -> Void = {
        _ throws(LocationError) in throw .promptDeclined
      },
    beginActivity: @escaping @Sendable (String) -> Void = { _ in },
    endActivity: @escaping @Sendable () -> Void = {},
    requestLocation: @escaping @Sendable () -> Void,
    startUpdatingLocation: @escaping @Sendable () -> Void,
    stopUpdatingLocation: @escaping @Sendable () -> Void,
    startMonitoringSignificantLocationChanges: @escaping @Sendable () -> Void = {},
    stopMonitoringSignificantLocationChanges: @escaping @Sendable () -> Void = {},
    startMonitoringVisits: @escaping @Sendable () -> Void = {},
    stopMonitoringVisits: @escaping @Sendable () -> Void = {},
    startUpdatingHeading: @escaping @Sendable () -> Void = {},
    stopUpdatingHeading: @escaping @Sendable () -> Void = {},
    startMonitoringForRegion: @escaping @Sendable (CircularRegion) -> Void = { _ in },
    stopMonitoringForRegion: @escaping @Sendable (CircularRegion) -> Void = { _ in },
    requestStateForRegion: @escaping @Sendable (CircularRegion) -> Void = { _ in },
    monitoredRegions: @escaping @Sendable () -> [CircularRegion] = { [] },
    set: @escaping @Sendable (Properties) -> Void = { _ in },
    headingAvailable: @escaping @Sendable () -> Bool = { false },
    significantLocationChangeMonitoringAvailable: @escaping @Sendable () -> Bool = { false },
    isRegionMonitoringAvailable: @escaping @Sendable () -> Bool = { false },
    maximumRegionMonitoringDistance: @escaping @Sendable () -> Double? = { nil },
    location: @escaping @Sendable () -> Location?,
    heading: @escaping @Sendable () -> Heading? = { nil },
    delegate: @escaping @Sendable () -> AsyncStream<DelegateEvent>
  ) {
    self.authorizationStatus = authorizationStatus
    self.accuracyAuthorization = accuracyAuthorization
    self.locationServicesEnabled = locationServicesEnabled
    self.diagnostics = diagnostics ?? { LocationDiagnostics(authorizationStatus()) }
    self.requestWhenInUseAuthorization = requestWhenInUseAuthorization
    self.requestAlwaysAuthorization = requestAlwaysAuthorization
    self.requestTemporaryFullAccuracyAuthorization = requestTemporaryFullAccuracyAuthorization
    self.beginActivity = beginActivity
    self.endActivity = endActivity
    self.requestLocation = requestLocation
    self.startUpdatingLocation = startUpdatingLocation
    self.stopUpdatingLocation = stopUpdatingLocation
    self.startMonitoringSignificantLocationChanges = startMonitoringSignificantLocationChanges
    self.stopMonitoringSignificantLocationChanges = stopMonitoringSignificantLocationChanges
    self.startMonitoringVisits = startMonitoringVisits
    self.stopMonitoringVisits = stopMonitoringVisits
    self.startUpdatingHeading = startUpdatingHeading
    self.stopUpdatingHeading = stopUpdatingHeading
    self.startMonitoringForRegion = startMonitoringForRegion
    self.stopMonitoringForRegion = stopMonitoringForRegion
    self.requestStateForRegion = requestStateForRegion
    self.monitoredRegions = monitoredRegions
    self.set = set
    self.headingAvailable = headingAvailable
    self.significantLocationChangeMonitoringAvailable =
      significantLocationChangeMonitoringAvailable
    self.isRegionMonitoringAvailable = isRegionMonitoringAvailable
    self.maximumRegionMonitoringDistance = maximumRegionMonitoringDistance
    self.location = location
    self.heading = heading
    self.delegate = delegate
  }
}

extension LocationDiagnostics {
  /// What a status alone says of why nothing comes.
  init(_ status: AuthorizationStatus) {
    switch status {
    case .notDetermined: self = .authorizationNotDetermined
    case .restricted: self = .authorizationRestricted
    case .denied: self = .authorizationDenied
    case .authorizedAlways, .authorizedWhenInUse: self = []
    }
  }
}
