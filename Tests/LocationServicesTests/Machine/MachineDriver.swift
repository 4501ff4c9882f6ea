// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

@testable import LocationServices

/// A machine with a clock that the test advances.
struct MachineDriver {
  typealias Event = LocationMachine.Event
  typealias Action = LocationMachine.Action

  var machine: LocationMachine
  var now = MonotonicTime.at(0)

  init(
    _ status: AuthorizationStatus = .notDetermined,
    accuracy: AccuracyAuthorization = .fullAccuracy,
    purpose: String = "Test"
  ) {
    machine = LocationMachine(AuthorizationState(Authorization(status, accuracy: accuracy)), purpose: purpose)
  }

  /// Handles events; returns the actions.
  mutating func act(_ events: Event...) -> [Action] {
    events.flatMap { machine.handle($0, at: now) }
  }

  /// Handles events; returns the callbacks among the actions.
  mutating func call(_ events: [Event]) -> [LocationCallback] {
    events.flatMap { machine.handle($0, at: now) }.callbacks
  }

  mutating func call(_ events: Event...) -> [LocationCallback] { call(events) }

  mutating func set(_ change: (inout LocationMachine.Settings) -> Void) {
    var settings = machine.settings
    change(&settings)
    _ = act(.set(settings))
  }

  mutating func wait(_ seconds: Double) {
    now = now.advanced(byNanoseconds: Int64(seconds * 1e9))
  }
}

extension [LocationMachine.Action] {
  var callbacks: [LocationCallback] {
    compactMap { if case .call(let callback) = $0 { callback } else { nil } }
  }

  var deliversLocation: Bool {
    callbacks.contains { if case .didUpdateLocations = $0 { true } else { false } }
  }

  var notes: [ServiceUse] {
    compactMap { if case .note(let use) = $0 { use } else { nil } }
  }
}

extension Location {
  static let here = Location.at(51.5, -0.1)

  /// Returns a location this many metres north of another, with the given accuracy.
  static func north(_ meters: Double, of start: Location = here, accuracyMeters: Double? = nil) -> Location {
    var location = start
    location.coordinate =
      start.coordinate.destination(distanceMeters: meters, bearingDegreesTrue: 0)
      ?? start.coordinate
    location.horizontalAccuracy = accuracyMeters.flatMap {
      Accuracy(meters: $0, confidencePercent: 68, basis: .receiver)
    }
    return location
  }
}

extension Authorization {
  static let undecided = Authorization(.notDetermined)
  static let restricted = Authorization(.restricted)
  static let denied = Authorization(.denied)
  static let inUse = Authorization(.authorizedWhenInUse)
  static let always = Authorization(.authorizedAlways)
  static let reducedAlways = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
}
