// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The condition that the board is within a circle.
///
/// Corresponds to Core Location's `CLMonitor.CircularGeographicCondition`.
public struct CircularCondition: Equatable, Hashable, Codable, Sendable {
  /// The center of the circle.
  ///
  /// As in Core Location.
  public var center: Coordinate
  /// The radius in metres; above 0.
  ///
  /// As in Core Location.
  public var radiusMeters: Double

  /// Creates a condition.
  ///
  /// As in Core Location.
  public init(center: Coordinate, radiusMeters: Double) {
    self.center = center
    self.radiusMeters = radiusMeters
  }
}

/// The state of a monitored condition.
///
/// Corresponds to Core Location's `CLMonitor.Event.State`.
public enum MonitorState: String, Hashable, Codable, Sendable, CaseIterable {
  /// The state is not known yet.
  ///
  /// As in Core Location.
  case unknown
  /// The condition is satisfied.
  ///
  /// As in Core Location.
  case satisfied
  /// The condition is not satisfied.
  ///
  /// As in Core Location.
  case unsatisfied
  /// The condition is currently not monitored.
  ///
  /// As in Core Location. ``MonitorEvent/diagnostics`` or ``MonitorEvent/refusal`` contains the
  /// reason.
  case unmonitored
}

/// A change in the state of a condition.
///
/// Corresponds to Core Location's `CLMonitor.Event`. Differs from Core Location: a program can
/// create, store and compare events, and an event holds the number of events missed before it.
public struct MonitorEvent: Equatable, Hashable, Codable, Sendable {
  /// The reason why a condition cannot be monitored.
  ///
  /// Core Location has a property for each reason. Differs from Core Location: a storage failure is
  /// not a refusal. The condition is still monitored, and the failure is reported to the operator.
  public enum Refusal: String, Hashable, Codable, Sendable {
    /// The radius is not above 0, or exceeds the maximum.
    ///
    /// In Core Location, this means that the device cannot monitor the condition. Differs from Core
    /// Location: a receiver can monitor every valid radius.
    case conditionUnsupported
    /// The limit of 20 conditions has been reached.
    ///
    /// As in Core Location.
    case conditionLimitExceeded
  }

  /// The name of the condition.
  ///
  /// As in Core Location.
  public var identifier: String
  /// The new state.
  ///
  /// As in Core Location.
  public var state: MonitorState
  /// The time of the location that caused the event.
  ///
  /// Core Location's `date` is always set. Differs from Core Location: the time is `nil` if no
  /// location caused the event or the location had no time.
  public var time: UTCTime?
  /// The reasons why the condition is currently not monitored.
  ///
  /// Core Location has a property for each reason. Differs from Core Location: the reasons are a
  /// set, as in live updates.
  public var diagnostics: LocationDiagnostics
  /// The reason why the condition can never be monitored; `nil` if it can be monitored.
  ///
  /// Core Location has a property for each reason. Differs from Core Location: the refusal is a
  /// single value, since no condition has both reasons.
  public var refusal: Refusal?
  /// The number of events missed before this one by a slow listener; not stored.
  public var missedCount: UInt64 = 0

  private enum CodingKeys: String, CodingKey {
    case identifier, state, time, diagnostics, refusal
  }

  /// Creates an event.
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

/// A condition and its last event.
///
/// Corresponds to Core Location's `CLMonitor.Record`.
public struct MonitorRecord: Equatable, Hashable, Codable, Sendable {
  /// The condition.
  ///
  /// As in Core Location, which also has other kinds of conditions.
  public var condition: CircularCondition
  /// The last reported event; if none was reported, an event with the assumed state.
  ///
  /// As in Core Location.
  public var lastEvent: MonitorEvent

  /// Creates a record.
  public init(condition: CircularCondition, lastEvent: MonitorEvent) {
    self.condition = condition
    self.lastEvent = lastEvent
  }
}
