// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Watches circles: who comes in, who goes out.
///
/// The border is not a line. A board comes in when it has been within the radius for some
/// seconds, and goes out when it has been beyond the radius and its own error for some seconds,
/// so that noise at the border makes no events. Where it is when the watching begins, or begins
/// again, is found out without one: by one location that is farther from the border than its own
/// error, or by as many seconds on one side.
struct RegionMonitor: Codable, Equatable, Sendable {
  enum Event: Equatable, Sendable {
    case started(CircularRegion)
    case entered(CircularRegion)
    case exited(CircularRegion)
    case failed(CircularRegion, LocationError)
  }

  static let confirmationSeconds = 10.0
  /// How far beyond the radius a board has to be to go out, where its own error is not larger.
  static let leastMarginMeters = 10.0

  struct Watch: Codable, Equatable, Sendable {
    var region: CircularRegion
    var state = RegionState.unknown
    /// Since when it seems to be on the other side; of this run only.
    var crossingSince: MonotonicTime?
    /// On which side it seems to be as long as that is unknown; of this run only.
    var seemsInside: Bool?

    enum CodingKeys: String, CodingKey { case region, state }
  }

  private(set) var watches: [Watch] = []

  init() {}

  /// Whether it is what starting regions one by one makes.
  var isWithinBounds: Bool {
    watches.count <= CircularRegion.monitoringLimit
      && Set(watches.map(\.region.identifier)).count == watches.count
      && watches.allSatisfy { Self.isRadius($0.region.radiusMeters) }
  }

  static func isRadius(_ meters: Double) -> Bool {
    meters > 0 && meters <= CircularRegion.maximumRadiusMeters
  }

  var regions: [CircularRegion] { watches.map(\.region) }

  func state(of identifier: String) -> RegionState {
    watches.first { $0.region.identifier == identifier }?.state ?? .unknown
  }

  /// Begins to watch; a region of the same name is replaced and its state forgotten.
  mutating func start(
    _ region: CircularRegion, assuming state: RegionState = .unknown
  ) -> Event {
    guard Self.isRadius(region.radiusMeters) else {
      return .failed(region, .regionMonitoringFailure)
    }
    if let index = watches.firstIndex(where: { $0.region.identifier == region.identifier }) {
      // Asked again for the very same: what is known of it still holds.
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

  /// Takes where the board is; gives the crossings of borders, whether to be told or not.
  mutating func take(_ location: Location, at now: MonotonicTime) -> [Event] {
    var events: [Event] = []
    for index in watches.indices {
      guard let state = watches[index].take(location, at: now) else { continue }
      let region = watches[index].region
      events.append(state == .inside ? .entered(region) : .exited(region))
    }
    return events
  }

  /// Where the board is has to be found out anew: it may be anywhere by now.
  mutating func forgetStates() { watches = watches.map { Watch(region: $0.region) } }

  /// Crossings that were under way are no more: nothing is known of the time in between.
  mutating func interrupt() {
    for index in watches.indices {
      watches[index].crossingSince = nil
      watches[index].seemsInside = nil
    }
  }
}

extension RegionMonitor.Watch {
  /// The state that the board has changed to, where it has.
  fileprivate mutating func take(_ location: Location, at now: MonotonicTime) -> RegionState? {
    let distance = region.center.distanceMeters(to: location.coordinate)
    let least = RegionMonitor.leastMarginMeters
    let error = location.horizontalAccuracyMeters ?? least
    let margin = error > least ? error : least
    let isAcross: Bool
    switch state {
    case .unknown:
      find(
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

  /// Finds out where the board is to begin with.
  private mutating func find(_ isInside: Bool, isSure: Bool, at now: MonotonicTime) {
    if seemsInside != isInside { (seemsInside, crossingSince) = (isInside, now) }
    let isConfirmed =
      crossingSince.map { now.seconds(since: $0) >= RegionMonitor.confirmationSeconds } ?? false
    guard isSure || isConfirmed else { return }
    (seemsInside, crossingSince) = (nil, nil)
    state = isInside ? .inside : .outside
  }
}
