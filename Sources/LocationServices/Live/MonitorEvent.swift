// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What is monitored: that the board is within a circle.
public struct CircularCondition: Equatable, Hashable, Codable, Sendable {
  /// The middle.
  public var center: Coordinate
  /// How far from the middle the border is, in metres; above 0.
  public var radiusMeters: Double

  /// Makes a condition.
  ///
  /// - Parameters:
  ///   - center: The middle.
  ///   - radiusMeters: How far the border is.
  public init(center: Coordinate, radiusMeters: Double) {
    self.center = center
    self.radiusMeters = radiusMeters
  }
}

/// Whether a condition holds.
public enum MonitorState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody knows yet.
  case unknown
  /// It holds.
  case satisfied
  /// It does not hold.
  case unsatisfied
  /// It is not watched at present.
  case unmonitored
}

/// That the state of a condition has changed.
public struct MonitorEvent: Equatable, Hashable, Codable, Sendable {
  /// Why a condition cannot be watched.
  public enum Refusal: String, Hashable, Codable, Sendable {
    /// Its radius is none.
    case conditionUnsupported
    /// As many conditions as can be are watched already.
    case conditionLimitExceeded
  }

  /// The condition's name.
  public var identifier: String
  /// The state from now on.
  public var state: MonitorState
  /// When the location that decided was true; `nil` where none did or it had no time.
  public var time: UTCTime?
  /// Why it is not watched, where it is not.
  public var diagnostics: LocationDiagnostics
  /// Why it never will be, where it will not.
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
public struct MonitorRecord: Equatable, Hashable, Codable, Sendable {
  /// The condition.
  public var condition: CircularCondition
  /// What was told of it last; before anything was, what was assumed.
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
