// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Monitors circular regions for entry and exit.
///
/// A board enters a region after ten seconds within the radius. It leaves the region after ten
/// seconds beyond the radius plus the position error, so that noise at the border causes no events.
/// The initial state causes no event. One location whose distance from the border exceeds the
/// position error determines the initial state, or ten seconds on one side of the border.
struct RegionMonitor: Codable, Equatable, Sendable {
  enum Event: Equatable, Sendable {
    case started(CircularRegion)
    case entered(CircularRegion)
    case exited(CircularRegion)
    case failed(CircularRegion, LocationError)
  }

  static let confirmationSeconds = 10.0
  /// The minimum distance in metres beyond the radius for an exit, unless the position error is
  /// larger.
  static let minimumMarginMeters = 10.0

  struct Watch: Codable, Equatable, Sendable {
    var region: CircularRegion
    var state = RegionState.unknown
    /// Start of a possible crossing; not stored.
    var crossingSince: MonotonicTime?
    /// The presumed side while the state is unknown; not stored.
    var seemsInside: Bool?

    enum CodingKeys: String, CodingKey { case region, state }
  }

  private(set) var watches: [Watch] = []

  init() {}

  /// Whether the number of regions, their identifiers and their radii are valid.
  var hasValidState: Bool {
    watches.count <= CircularRegion.monitoringLimit
      && Set(watches.map(\.region.identifier)).count == watches.count
      && watches.allSatisfy { Self.isValidRadius($0.region.radiusMeters) }
  }

  static func isValidRadius(_ meters: Double) -> Bool {
    meters > 0 && meters <= CircularRegion.maximumRadiusMeters
  }

  var regions: [CircularRegion] { watches.map(\.region) }

  func state(of identifier: String) -> RegionState {
    watches.first { $0.region.identifier == identifier }?.state ?? .unknown
  }

  /// Starts monitoring; a region with the same identifier is replaced and its state is forgotten.
  mutating func start(
    _ region: CircularRegion, assuming state: RegionState = .unknown
  ) -> Event {
    guard Self.isValidRadius(region.radiusMeters) else {
      return .failed(region, .regionMonitoringFailure)
    }
    if let index = watches.firstIndex(where: { $0.region.identifier == region.identifier }) {
      // An equal region keeps its state.
      if watches[index].region != region { watches[index] = Watch(region: region, state: state) }
      return .started(region)
    }
    guard watches.count < CircularRegion.monitoringLimit else {
      return .failed(region, .regionMonitoringFailure)
    }
    watches.append(Watch(region: region, state: state))
    return .started(region)
  }

  mutating func stop(_ identifier: String) {
    watches.removeAll { $0.region.identifier == identifier }
  }

  /// Processes a location; returns all crossings, even if the region requests no notification.
  mutating func take(_ location: Location, at now: MonotonicTime) -> [Event] {
    var events: [Event] = []
    for index in watches.indices {
      guard let state = watches[index].take(location, at: now) else { continue }
      let region = watches[index].region
      events.append(state == .inside ? .entered(region) : .exited(region))
    }
    return events
  }

  /// Sets all states to unknown, because the board may be anywhere by now.
  mutating func forgetStates() { watches = watches.map { Watch(region: $0.region) } }

  /// Cancels crossings in progress, because the movement during the interruption is unknown.
  mutating func interrupt() {
    for index in watches.indices {
      watches[index].crossingSince = nil
      watches[index].seemsInside = nil
    }
  }
}

extension RegionMonitor.Watch {
  /// Processes a location; returns the new state if it has changed.
  fileprivate mutating func take(_ location: Location, at now: MonotonicTime) -> RegionState? {
    let distance = region.center.distanceMeters(to: location.coordinate)
    let minimum = RegionMonitor.minimumMarginMeters
    let error = location.horizontalAccuracyMeters ?? minimum
    let margin = error > minimum ? error : minimum
    let isAcross: Bool
    switch state {
    case .unknown:
      determineState(
        distance <= region.radiusMeters, isSure: abs(distance - region.radiusMeters) > margin,
        at: now)
      return nil
    case .inside: isAcross = distance > region.radiusMeters + margin
    case .outside: isAcross = distance <= region.radiusMeters
    }
    guard isAcross else {
      crossingSince = nil
      return nil
    }
    let since = crossingSince ?? now
    crossingSince = since
    guard now.seconds(since: since) >= RegionMonitor.confirmationSeconds else { return nil }
    crossingSince = nil
    state = state == .inside ? .outside : .inside
    return state
  }

  /// Determines the initial state.
  private mutating func determineState(_ isInside: Bool, isSure: Bool, at now: MonotonicTime) {
    if seemsInside != isInside { (seemsInside, crossingSince) = (isInside, now) }
    let isConfirmed =
      crossingSince.map { now.seconds(since: $0) >= RegionMonitor.confirmationSeconds } ?? false
    guard isSure || isConfirmed else { return }
    (seemsInside, crossingSince) = (nil, nil)
    state = isInside ? .inside : .outside
  }
}
