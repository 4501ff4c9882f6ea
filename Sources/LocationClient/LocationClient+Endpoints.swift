// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// Creates a client from its endpoints.
  ///
  /// An omitted endpoint behaves as on a board without that feature: a getter reports that the
  /// feature is unavailable, and a start of monitoring does nothing. Omitted `diagnostics` are derived from the
  /// status, and an omitted full-accuracy request is declined. An omitted request for authorization
  /// at any time requests authorization "when in use", and an omitted start of updates requests one
  /// location. A test that must fail on unexpected calls starts from the `unimplemented` client and
  /// replaces the endpoints that may be called.
  public init(
    authorizationStatus: @escaping @Sendable () -> AuthorizationStatus,
    accuracyAuthorization: @escaping @Sendable () -> AccuracyAuthorization = { .fullAccuracy },
    locationServicesEnabled: @escaping @Sendable () -> Bool = { true },
    diagnostics: (@Sendable () -> LocationDiagnostics)? = nil,
    requestWhenInUseAuthorization: @escaping @Sendable () -> Void,
    requestAlwaysAuthorization: (@Sendable () -> Void)? = nil,
    requestTemporaryFullAccuracyAuthorization:
      @escaping @Sendable (String) async throws(LocationError) -> Void = {
        _ throws(LocationError) in throw .promptDeclined
      },
    beginActivity: @escaping @Sendable (String) -> Void = { _ in },
    endActivity: @escaping @Sendable () -> Void = {},
    requestLocation: @escaping @Sendable () -> Void,
    startUpdatingLocation: (@Sendable () -> Void)? = nil,
    stopUpdatingLocation: @escaping @Sendable () -> Void = {},
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
    location: @escaping @Sendable () -> Location? = { nil },
    heading: @escaping @Sendable () -> Heading? = { nil },
    delegate: @escaping @Sendable () -> AsyncStream<DelegateEvent>
  ) {
    self.authorizationStatus = authorizationStatus
    self.accuracyAuthorization = accuracyAuthorization
    self.locationServicesEnabled = locationServicesEnabled
    self.diagnostics = diagnostics ?? { LocationDiagnostics(authorizationStatus()) }
    self.requestWhenInUseAuthorization = requestWhenInUseAuthorization
    self.requestAlwaysAuthorization = requestAlwaysAuthorization ?? requestWhenInUseAuthorization
    self.requestTemporaryFullAccuracyAuthorization = requestTemporaryFullAccuracyAuthorization
    self.beginActivity = beginActivity
    self.endActivity = endActivity
    self.requestLocation = requestLocation
    self.startUpdatingLocation = startUpdatingLocation ?? requestLocation
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
  /// Creates the diagnostics that follow from the status alone.
  init(_ status: AuthorizationStatus) {
    switch status {
    case .notDetermined: self = .authorizationNotDetermined
    case .restricted: self = .authorizationRestricted
    case .denied: self = .authorizationDenied
    case .authorizedAlways, .authorizedWhenInUse: self = []
    }
  }
}
