// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationClient
public import LocationServices
internal import Positioning

extension LocationClient {
  /// Returns a client that uses a location manager.
  ///
  /// The client, its copies and its streams retain the manager and an internal delegate. Use one
  /// manager per client: if two clients use the same manager, only the client created last receives
  /// events.
  ///
  /// - Parameter manager: The manager, whose delegate is replaced.
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

  /// Returns a client that uses the board's daemon if it is running, or a source in this process.
  ///
  /// Each client has its own location manager.
  ///
  /// - Parameters:
  ///   - purpose: Why the program needs locations; shown to operators.
  ///   - daemon: The address of the daemon.
  ///   - alternative: The policy and the source to use if no daemon is running.
  ///   - storage: Stores regions and visits across restarts; if `nil`, they are not stored.
  ///   - report: Writes a line to the log; by default, the line is written to standard error.
  /// - Returns: The client.
  public static func live(
    purpose: String, daemon: DaemonAddress = .ofEnvironment,
    otherwise alternative: InProcess, storage: (any MonitoringStorage)? = nil,
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) -> LocationClient {
    // The relay's callbacks run on an actor of the manager, so that a busy main actor delays no
    // stream.
    let client = DaemonClient(address: daemon, now: MonotonicTime.now)
    return .live(
      LocationManager(
        purpose: purpose,
        session: DaemonSession(ifPresent: client, clock: ContinuousClock(), report: report),
        otherwise: alternative, storage: storage, report: report))
  }
}

extension LocationManager {
  /// Sets the properties that are not `nil`.
  fileprivate func set(_ properties: LocationClient.Properties) {
    if let accuracy = properties.desiredAccuracy { desiredAccuracy = accuracy }
    if let filter = properties.distanceFilter { distanceFilter = filter.leastChange }
    if let filter = properties.headingFilter { headingFilter = filter.leastChange }
    if let pauses = properties.pausesLocationUpdatesAutomatically {
      pausesLocationUpdatesAutomatically = pauses
    }
  }

  /// Requests temporary full accuracy, and waits for the decision or the cancellation of the task.
  fileprivate func awaitTemporaryFullAccuracy(withPurposeKey key: String)
    async throws(LocationError)
  {
    let (answers, continuation) = AsyncStream.makeStream(of: LocationError?.self)
    requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
      continuation.yield(error)
      continuation.finish()
    }
    // If the task is cancelled, the stream ends without an element.
    for await error in answers {
      if let error { throw error }
      return
    }
    throw .promptDeclined
  }
}

extension LocationClient.Properties.Filter {
  /// The value of the manager's property; `nil` to deliver every value.
  fileprivate var leastChange: Double? {
    switch self {
    case .every: nil
    case .atLeast(let change): change
    }
  }
}
