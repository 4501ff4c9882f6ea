// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Monitoring regions.
extension LocationManager {
  /// The regions that are monitored, those of an earlier run among them where there is a storage.
  ///
  /// Core Location's are a set that all managers of a program share, kept by its daemon. Differs in
  /// that they are this manager's, in the order of their beginning.
  public var monitoredRegions: [CircularRegion] { state.withLock { $0.machine.regions.regions } }

  /// Starts to monitor a region; at most 20.
  ///
  /// As in Core Location a region of the same identifier is replaced, and where the board is inside
  /// already, nothing is told until it has been outside. The delegate is told that it has begun, or
  /// that it cannot: a 21st region and one without a usable radius with
  /// `LocationError.regionMonitoringFailure`, any while refused or of reduced accuracy with
  /// `LocationError.regionMonitoringDenied`.
  ///
  /// Differs in how soon a crossing is told: Core Location takes minutes and about 200 m, to save
  /// power; here the board is inside when it has been within the radius for ten seconds, and
  /// outside when it has been beyond the radius and its own error for as long.
  public func startMonitoring(for region: CircularRegion) { handle(.startMonitoring(region)) }

  /// Ends to monitor the region of that identifier.
  ///
  /// As in Core Location there is no callback.
  public func stopMonitoring(for region: CircularRegion) {
    handle(.stopMonitoring(region.identifier))
  }

  /// Asks where the board is with regard to a monitored region, by what is known already.
  ///
  /// As in Core Location the answer comes to the delegate, out of what was known last.
  ///
  /// - Parameter region: The region; the answer is unknown for one that is not monitored.
  public func requestState(for region: CircularRegion) { handle(.requestState(region)) }
}
