// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides on the events of a monitor: updates in, events out.
struct MonitorMachine: Codable, Equatable, Sendable {
  private(set) var records: [String: MonitorRecord] = [:]
  private var regions = RegionMonitor()

  init() {}

  /// Whether it is what adding conditions one by one makes.
  var isWithinBounds: Bool {
    regions.isWithinBounds && records.count == regions.watches.count
      && regions.regions.allSatisfy { region in
        records[region.identifier].map {
          $0.condition.center == region.center && $0.condition.radiusMeters == region.radiusMeters
        } == true
      }
  }

  /// Adds a condition; `nil` where it can be watched, and otherwise why not.
  mutating func add(
    _ condition: CircularCondition, identifier: String, assuming state: MonitorState
  ) -> MonitorEvent? {
    let region = CircularRegion(
      center: condition.center, radiusMeters: condition.radiusMeters, identifier: identifier)
    let assumed: RegionState =
      switch state {
      case .satisfied: .inside
      case .unsatisfied: .outside
      case .unknown, .unmonitored: .unknown
      }
    guard case .started = regions.start(region, assuming: assumed) else {
      // The one of that name that it was to replace is watched on.
      return MonitorEvent(
        identifier: identifier, state: records[identifier]?.lastEvent.state ?? .unmonitored,
        refusal: RegionMonitor.isRadius(condition.radiusMeters)
          ? .conditionLimitExceeded : .conditionUnsupported)
    }
    let event = MonitorEvent(identifier: identifier, state: state)
    if records[identifier]?.condition != condition {
      records[identifier] = MonitorRecord(condition: condition, lastEvent: event)
    }
    return nil
  }

  mutating func remove(_ identifier: String) {
    regions.stop(identifier)
    records[identifier] = nil
  }

  /// Tells of each condition whose state is another than the one told of last.
  mutating func take(_ update: LocationUpdate, at trackTime: MonotonicTime) -> [MonitorEvent] {
    if !update.diagnostics.isDisjoint(with: Self.reasonsNotToTell) {
      regions.forgetStates()
      return tell(update) { _ in .unmonitored }
    }
    // Without a location nothing is learnt: a condition stays as it was.
    guard let location = update.location else { return [] }
    _ = regions.take(location, at: trackTime)
    return tell(update) { regions in
      switch regions {
      case .inside: .satisfied
      case .outside: .unsatisfied
      case .unknown: .unknown
      }
    }
  }

  /// For which what was told and waits to be read must not be read any more.
  static let reasonsNotToTell: LocationDiagnostics = [
    .accuracyLimited, .authorizationDenied, .authorizationRestricted, .authorizationNotDetermined,
  ]

  private mutating func tell(
    _ update: LocationUpdate, _ state: (RegionState) -> MonitorState
  ) -> [MonitorEvent] {
    var events: [MonitorEvent] = []
    for watch in regions.watches {
      let identifier = watch.region.identifier
      let event = MonitorEvent(
        identifier: identifier, state: state(watch.state), time: update.location?.time,
        diagnostics: update.diagnostics)
      guard records[identifier]?.lastEvent.state != event.state else { continue }
      records[identifier]?.lastEvent = event
      events.append(event)
    }
    return events
  }
}
