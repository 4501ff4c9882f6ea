// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning

@testable import Daemon

/// What is claimed of a daemon with faults, second by second.
struct FaultChecks {
  /// How long a plugin that failed waits at most, with a second for what it then is given.
  static let restartSeconds = 301
  /// After how long a call is overdue and its instance given up.
  static let overdueSeconds = 36
  /// How long a port that could not be opened is left alone at most, until its epochs are known.
  static let portSeconds = 33
  /// The same of a gpsd.
  static let gpsdSeconds = 5
  /// How long nothing may come until it is said, from the last fix.
  static let silenceSeconds = 6
  /// How long a provider that could not be reached is left alone at most, and the board moves or
  /// waits until it is asked.
  static let lookupSeconds = 360
  /// How long one source may take to follow another.
  static let takeoverSeconds = 4

  private(set) var beganAt: [Fault: Int] = [:]
  private(set) var endedAt: [Fault: Int] = [:]
  private(set) var before: [String: PluginStatus] = [:]
  private(set) var restartedAt: [String: Int] = [:]
  /// How long a fault had been over when it began; none where it never was before.
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

  /// For how many seconds a fault has been on; `nil` where it is not.
  func on(_ fault: Fault) -> Int? { beganAt[fault].map { second - $0 } }

  /// For how many seconds a fault has been over, from the beginning where it never was.
  func off(_ fault: Fault) -> Int? {
    beganAt[fault] == nil ? second - (endedAt[fault] ?? 0) : nil
  }

  /// The sinks that a fault concerns.
  static let plugins: [Fault: [String]] = [
    .diskFull: [FaultBoard.full, FaultBoard.track], .sinkBlocked: [FaultBoard.blocked],
    .execCrashing: [FaultBoard.crashing],
  ]

  /// What does not hold, in a sentence; `nil` where all does.
  mutating func violation(on board: FaultBoard, _ second: Int) -> String? {
    self.second = second
    let report = board.daemon.report()
    let now = board.world.clock.reading()
    for plugin in report.plugins {
      if plugin.restartCount != before[plugin.name]?.restartCount {
        restartedAt[plugin.name] = second
      }
      before[plugin.name] = plugin
    }
    let witness = board.witness.count
    let fixAge = witness.lastLocationAt.map { now.seconds(since: $0) } ?? Double(second)
    return board.world.ended.first.map { "\($0) has ended" }
      ?? fixes(report, fixAge, now) ?? counts(report, witness) ?? sinks(report, fixAge, now)
      ?? lookups(report, fixAge, now) ?? rest(report, board) ?? words(report, now)
  }
}
