// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Watches circles: who comes in, who goes out.
///
/// The border is not a line. A board comes in when it has been within the radius for some
/// seconds, and goes out when it has been beyond the radius and its own error for some seconds,
/// so that noise at the border makes no events. Where it is when the watching begins, or begins
/// again, is found out without one.
struct RegionMonitor: Codable, Equatable, Sendable {
  enum Event: Equatable, Sendable {
    case started(CircularRegion)
    case entered(CircularRegion)
    case exited(CircularRegion)
    case failed(CircularRegion, LocationError)
  }

  static let confirmationSeconds = 10.0
  /// How far beyond the radius a board goes out, by its own error within these.
  static let marginMeters = 10.0...100.0

  struct Watch: Codable, Equatable, Sendable {
    var region: CircularRegion
    var state = RegionState.unknown
    /// Since when it seems to be on the other side; of this run only.
    var crossingSince: MonotonicTime?

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

  private static func isRadius(_ meters: Double) -> Bool {
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

  /// Crossings that were under way are no more: nothing is known of the time in between.
  mutating func interrupt() {
    for index in watches.indices { watches[index].crossingSince = nil }
  }
}

extension RegionMonitor.Watch {
  /// The state that the board has changed to, where it has.
  fileprivate mutating func take(_ location: Location, at now: MonotonicTime) -> RegionState? {
    let distance = region.center.distanceMeters(to: location.coordinate)
    let limits = RegionMonitor.marginMeters
    let error = location.horizontalAccuracyMeters ?? limits.lowerBound
    let margin = min(max(error, limits.lowerBound), limits.upperBound)
    let isAcross: Bool
    switch state {
    case .unknown:
      state = distance <= region.radiusMeters ? .inside : .outside
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
}
