// SPDX-License-Identifier: Apache-2.0

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
}
