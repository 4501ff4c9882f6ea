// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationClient
public import LocationServices
internal import Positioning

extension LocationClient {
  /// A client over a location manager.
  ///
  /// The manager and the hidden delegate live as long as any copy of the client or any of its
  /// streams does. Several clients take a manager each: of two over one manager, only the last
  /// would hear of anything.
  ///
  /// - Parameter manager: The manager; its delegate is taken over.
  /// - Returns: The client.
  public static func live(_ manager: LocationManager) -> LocationClient {
    let relay = DelegateRelay(status: manager.authorizationStatus)
    manager.delegate = relay
    return LocationClient(
      authorizationStatus: { manager.authorizationStatus },
      accuracyAuthorization: { manager.accuracyAuthorization },
      locationServicesEnabled: { manager.locationServicesEnabled },
      diagnostics: { manager.diagnostics },
      requestWhenInUseAuthorization: { manager.requestWhenInUseAuthorization() },
      requestAlwaysAuthorization: { manager.requestAlwaysAuthorization() },
      requestTemporaryFullAccuracyAuthorization: { key throws(LocationError) in
        try await manager.awaitTemporaryFullAccuracy(withPurposeKey: key)
      },
      beginActivity: { manager.beginActivity(reason: $0) },
      endActivity: { manager.endActivity() },
      requestLocation: { manager.requestLocation() },
      startUpdatingLocation: { manager.startUpdatingLocation() },
      stopUpdatingLocation: { manager.stopUpdatingLocation() },
      startMonitoringSignificantLocationChanges: {
        manager.startMonitoringSignificantLocationChanges()
      },
      stopMonitoringSignificantLocationChanges: {
        manager.stopMonitoringSignificantLocationChanges()
      },
      startMonitoringVisits: { manager.startMonitoringVisits() },
      stopMonitoringVisits: { manager.stopMonitoringVisits() },
      startUpdatingHeading: { manager.startUpdatingHeading() },
      stopUpdatingHeading: { manager.stopUpdatingHeading() },
      startMonitoringForRegion: { manager.startMonitoring(for: $0) },
      stopMonitoringForRegion: { manager.stopMonitoring(for: $0) },
      requestStateForRegion: { manager.requestState(for: $0) },
      monitoredRegions: { manager.monitoredRegions },
      set: { manager.set($0) },
      headingAvailable: { manager.headingAvailable },
      significantLocationChangeMonitoringAvailable: {
        manager.significantLocationChangeMonitoringAvailable
      },
      isRegionMonitoringAvailable: { manager.isRegionMonitoringAvailable },
      maximumRegionMonitoringDistance: { manager.maximumRegionMonitoringDistance },
      location: { manager.location },
      heading: { manager.heading },
      delegate: { relay.subscribe(to: manager) })
  }

  /// A client of this board: by its daemon where there is one now, else in this process.
  ///
  /// Each is over a manager of its own.
  ///
  /// - Parameters:
  ///   - purpose: What the program wants locations for, in words for whoever decides.
  ///   - daemon: Where the daemon listens.
  ///   - alternative: What the program does by itself where there is no daemon.
  ///   - storage: Where regions and visits survive a restart; `nil` for nowhere.
  /// - Returns: The client.
  public static func live(
    purpose: String, daemon: DaemonAddress = .ofEnvironment,
    otherwise alternative: InProcess, storage: (any MonitoringStorage)? = nil
  ) -> LocationClient {
    .live(
      LocationManager(
        purpose: purpose, daemon: daemon, otherwise: alternative, storage: storage))
  }
}

extension LocationManager {
  /// Sets what is given, and leaves the rest.
  fileprivate func set(_ properties: LocationClient.Properties) {
    if let accuracy = properties.desiredAccuracy { desiredAccuracy = accuracy }
    if let filter = properties.distanceFilter { distanceFilter = filter.leastChange }
    if let filter = properties.headingFilter { headingFilter = filter.leastChange }
    if let pauses = properties.pausesLocationUpdatesAutomatically {
      pausesLocationUpdatesAutomatically = pauses
    }
  }

  /// Asks for full accuracy, and waits for the answer or the end of the task.
  fileprivate func awaitTemporaryFullAccuracy(withPurposeKey key: String)
    async throws(LocationError)
  {
    let (answers, continuation) = AsyncStream.makeStream(of: LocationError?.self)
    requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
      continuation.yield(error)
      continuation.finish()
    }
    // Ends without an answer where the task is cancelled.
    for await error in answers {
      if let error { throw error }
      return
    }
    throw .promptDeclined
  }
}

extension LocationClient.Properties.Filter {
  /// As a manager has it: `nil` where every value is told.
  fileprivate var leastChange: Double? {
    switch self {
    case .every: nil
    case .atLeast(let change): change
    }
  }
}
