// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// State machine of a monitor: updates in, events out.
struct MonitorMachine: Codable, Equatable, Sendable {
  private(set) var records: [String: MonitorRecord] = [:]
  private var regions = RegionMonitor()

  init() {}

  /// Whether the regions are valid and the records match them.
  var hasValidState: Bool {
    regions.hasValidState && records.count == regions.watches.count
      && regions.regions.allSatisfy { region in
        records[region.identifier].map {
          $0.condition.center == region.center && $0.condition.radiusMeters == region.radiusMeters
        } == true
      }
  }

  /// Adds a condition; returns `nil` on success, otherwise the event with the refusal.
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
      // A previous condition of that name is still monitored.
      return MonitorEvent(
        identifier: identifier, state: records[identifier]?.lastEvent.state ?? .unmonitored,
        refusal: RegionMonitor.isValidRadius(condition.radiusMeters)
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

  /// Returns an event for each condition whose state differs from its last event.
  mutating func take(_ update: LocationUpdate, at trackTime: MonotonicTime) -> [MonitorEvent] {
    if !update.diagnostics.isDisjoint(with: Self.withdrawalReasons) {
      regions.forgetStates()
      return recordChanges(update) { _ in .unmonitored }
    }
    // Without a location, no state changes.
    guard let location = update.location else { return [] }
    _ = regions.take(location, at: trackTime)
    return recordChanges(update) { regionState in
      switch regionState {
      case .inside: .satisfied
      case .outside: .unsatisfied
      case .unknown: .unknown
      }
    }
  }

  /// Diagnostics under which unread events with a position must not be delivered.
  static let withdrawalReasons: LocationDiagnostics = [
    .accuracyLimited, .authorizationDenied, .authorizationRestricted, .authorizationNotDetermined,
  ]

  private mutating func recordChanges(
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
