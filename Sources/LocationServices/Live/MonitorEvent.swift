// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What is monitored: that the board is within a circle.
///
/// As Core Location's `CLMonitor.CircularGeographicCondition`.
public struct CircularCondition: Equatable, Hashable, Codable, Sendable {
  /// The middle.
  ///
  /// As in Core Location.
  public var center: Coordinate
  /// How far from the middle the border is, in metres; above 0.
  ///
  /// As in Core Location.
  public var radiusMeters: Double

  /// Makes a condition.
  ///
  /// As in Core Location.
  public init(center: Coordinate, radiusMeters: Double) {
    self.center = center
    self.radiusMeters = radiusMeters
  }
}

/// Whether a condition holds.
///
/// As Core Location's `CLMonitor.Event.State`.
public enum MonitorState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody knows yet.
  ///
  /// As in Core Location.
  case unknown
  /// It holds.
  ///
  /// As in Core Location.
  case satisfied
  /// It does not hold.
  ///
  /// As in Core Location.
  case unsatisfied
  /// It is not watched at present.
  ///
  /// As in Core Location; ``MonitorEvent/diagnostics`` or ``MonitorEvent/refusal`` says why.
  case unmonitored
}

/// That the state of a condition has changed.
///
/// As Core Location's `CLMonitor.Event`. Differs in that it can be made, stored and compared by a
/// program, and in that it says what was missed before it.
public struct MonitorEvent: Equatable, Hashable, Codable, Sendable {
  /// Why a condition cannot be watched.
  ///
  /// Core Location has a property for each. Differs in that storage which fails is none of them:
  /// the condition is watched nevertheless, and whoever runs the board is told.
  public enum Refusal: String, Hashable, Codable, Sendable {
    /// Its radius is none.
    ///
    /// Core Location's is for a condition that the device cannot watch. Differs in that a receiver
    /// can watch each that has a radius.
    case conditionUnsupported
    /// As many conditions as can be are watched already.
    ///
    /// As in Core Location.
    case conditionLimitExceeded
  }

  /// The condition's name.
  ///
  /// As in Core Location.
  public var identifier: String
  /// The state from now on.
  ///
  /// As in Core Location.
  public var state: MonitorState
  /// When the location that decided was true.
  ///
  /// Core Location's `date` is always there. Differs in that it is `nil` where no location decided
  /// or it had no time: the present is no substitute.
  public var time: UTCTime?
  /// Why it is not watched, where it is not.
  ///
  /// Core Location has a property for each reason. Differs in that it is a set, the same as that of
  /// live updates.
  public var diagnostics: LocationDiagnostics
  /// Why it never will be, where it will not.
  ///
  /// Core Location has a property for each reason. Differs in that it is one of two, since no
  /// condition has both.
  public var refusal: Refusal?
  /// How many events before it the listener was too slow for; not stored.
  public var missedCount: UInt64 = 0

  private enum CodingKeys: String, CodingKey {
    case identifier, state, time, diagnostics, refusal
  }

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - identifier: The condition's name.
  ///   - state: The state from now on.
  ///   - time: When the location that decided was true.
  ///   - diagnostics: Why it is not watched.
  ///   - refusal: Why it never will be.
  public init(
    identifier: String, state: MonitorState, time: UTCTime? = nil,
    diagnostics: LocationDiagnostics = [], refusal: Refusal? = nil
  ) {
    self.identifier = identifier
    self.state = state
    self.time = time
    self.diagnostics = diagnostics
    self.refusal = refusal
  }
}

/// A condition, and what was told of it last.
///
/// As Core Location's `CLMonitor.Record`.
public struct MonitorRecord: Equatable, Hashable, Codable, Sendable {
  /// The condition.
  ///
  /// As in Core Location, where there are other kinds of condition, too.
  public var condition: CircularCondition
  /// What was told of it last; before anything was, what was assumed.
  ///
  /// As in Core Location.
  public var lastEvent: MonitorEvent

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - lastEvent: What was told of it last.
  public init(condition: CircularCondition, lastEvent: MonitorEvent) {
    self.condition = condition
    self.lastEvent = lastEvent
  }
}
