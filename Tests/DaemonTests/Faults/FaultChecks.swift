// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning

@testable import Daemon

/// Checks the invariants of a daemon with faults, once a second.
struct FaultChecks {
  /// Maximum time in seconds until a failed plugin is restarted and receives its next event.
  static let restartSeconds = 301
  /// Time in seconds after which a blocked call is overdue and the plugin's instance is abandoned.
  static let overdueSeconds = 36
  /// Maximum time in seconds until a port is reopened after a failure and its epochs are
  /// recognized.
  static let portSeconds = 33
  /// Maximum time in seconds until the connection to gpsd is restored.
  static let gpsdSeconds = 5
  /// Maximum time in seconds from the last fix until the loss is reported.
  static let silenceSeconds = 6
  /// Maximum time in seconds until a failed provider is retried, including the delay until the next
  /// lookup.
  static let lookupSeconds = 360
  /// Maximum time in seconds for the switch from one source to another.
  static let takeoverSeconds = 4

  private(set) var beganAt: [Fault: Int] = [:]
  private(set) var endedAt: [Fault: Int] = [:]
  private(set) var previousStatus: [String: PluginStatus] = [:]
  private(set) var restartedAt: [String: Int] = [:]
  /// The seconds between a fault's previous end and its last beginning.
  ///
  /// Has no entry for a fault that has occurred only once.
  private(set) var gaps: [Fault: Int] = [:]
  private(set) var second = 0

  mutating func began(_ span: FaultSpan) {
    gaps[span.fault] = endedAt[span.fault].map { second + 1 - $0 }
    beganAt[span.fault] = second + 1
    endedAt[span.fault] = nil
  }

  mutating func ended(_ span: FaultSpan) {
    endedAt[span.fault] = second + 1
    beganAt[span.fault] = nil
  }

  /// The time since a fault began, in seconds; `nil` if the fault is not active.
  func secondsActive(_ fault: Fault) -> Int? { beganAt[fault].map { second - $0 } }

  /// The time since a fault ended, or since the start, in seconds; `nil` if the fault is active.
  func secondsCleared(_ fault: Fault) -> Int? {
    beganAt[fault] == nil ? second - (endedAt[fault] ?? 0) : nil
  }

  /// The sinks that a fault affects.
  static let affectedSinks: [Fault: [String]] = [
    .diskFull: [FaultFixture.full, FaultFixture.track], .sinkBlocked: [FaultFixture.blocked],
    .execCrashing: [FaultFixture.crashing],
  ]

  /// Returns the first violated invariant as a sentence; `nil` if the daemon violates none.
  mutating func violation(on board: FaultFixture, _ second: Int) -> String? {
    self.second = second
    let report = board.daemon.report()
    let now = board.environment.clock.reading()
    for plugin in report.plugins {
      if plugin.restartCount != previousStatus[plugin.name]?.restartCount {
        restartedAt[plugin.name] = second
      }
      previousStatus[plugin.name] = plugin
    }
    let witness = board.witness.count
    let fixAge = witness.lastLocationAt.map { now.seconds(since: $0) } ?? Double(second)
    if let part = board.environment.endedParts.first { return "\(part) has ended" }
    return fixViolation(report, fixAge, now) ?? countViolation(report, witness)
      ?? sinkViolation(report, fixAge, now) ?? lookupViolation(report, fixAge, now)
      ?? otherViolation(report, board) ?? textViolation(report, now)
  }
}
