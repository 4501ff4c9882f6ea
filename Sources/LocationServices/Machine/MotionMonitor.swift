// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Monitors rest, visits and regions, for which the program needs full accuracy.
struct MotionMonitor: Sendable {
  typealias Action = LocationMachine.Action

  private var stationary = StationaryDetector()
  private(set) var visits = VisitDetector()
  private(set) var regions = RegionMonitor()

  var isStationary: Bool { stationary.isStationary }

  /// Processes a location, and counts visits and crossings as deliveries of their services.
  mutating func take(
    _ location: Location, at trackTime: MonotonicTime, _ services: inout StartedServices
  ) -> [Action] {
    var actions: [Action] = []
    _ = stationary.take(location.coordinate, at: trackTime)
    if services.contains(.visits), let visit = visits.take(location, at: trackTime) {
      actions += [.call(.didVisit(visit)), .monitoringChanged] + services.count(.visits)
    }
    guard !regions.watches.isEmpty else { return actions }
    let before = regions.watches.map(\.state)
    for event in regions.take(location, at: trackTime) {
      actions += calls(for: event) + services.count(.regions)
    }
    if regions.watches.map(\.state) != before { actions.append(.monitoringChanged) }
    return actions
  }

  /// Returns the callbacks for a crossing: the new state, and the entry or exit if the region
  /// requests notification.
  private func calls(for event: RegionMonitor.Event) -> [Action] {
    switch event {
    case .entered(let region):
      (region.notifyOnEntry ? [.call(.didEnterRegion(region))] : [])
        + [.call(.didDetermineState(.inside, region))]
    case .exited(let region):
      (region.notifyOnExit ? [.call(.didExitRegion(region))] : [])
        + [.call(.didDetermineState(.outside, region))]
    case .started, .failed: []
    }
  }

  /// Resets the detectors, so that nothing carries over to the next location.
  mutating func suspend() {
    regions.interrupt()
    stationary.reset()
  }

  // MARK: Regions

  mutating func start(
    _ region: CircularRegion, _ authorization: AuthorizationState,
    _ services: inout StartedServices
  ) -> [Action] {
    guard authorization.mayMonitorRegions else {
      return [.call(.monitoringDidFail(region, .regionMonitoringDenied))]
    }
    if case .failed(let region, let error) = regions.start(region) {
      return [.call(.monitoringDidFail(region, error))]
    }
    return services.setMonitoring(true) + [.monitoringChanged, .call(.didStartMonitoring(region))]
  }

  mutating func stop(_ identifier: String, _ services: inout StartedServices) -> [Action] {
    let count = regions.watches.count
    regions.stop(identifier)
    guard regions.watches.count < count else { return [] }
    return [.monitoringChanged] + services.setMonitoring(!regions.watches.isEmpty)
  }

  func state(of region: CircularRegion, _ authorization: AuthorizationState) -> RegionState {
    authorization.hasFullAccuracy ? regions.state(of: region.identifier) : .unknown
  }

  /// The errors for all regions when they cannot be monitored any more.
  var regionsDenied: [Action] {
    regions.regions.map { .call(.monitoringDidFail($0, .regionMonitoringDenied)) }
  }

  mutating func restore(_ visits: VisitDetector, _ regions: RegionMonitor) {
    (self.visits, self.regions) = (visits, regions)
  }
}
