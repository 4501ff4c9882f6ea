// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc

/// What goes wrong on a board, for a while.
enum Fault: String, CaseIterable, Sendable, CustomStringConvertible {
  case receiverUnplugged, gpsdKilled, pathLost, providerDown, diskFull, sinkBlocked, execCrashing
  case configurationBroken, clockJumped

  var description: String { rawValue }

  /// Every two that can happen at once.
  static var pairs: [[Fault]] {
    allCases.enumerated().flatMap { index, first in
      allCases.dropFirst(index + 1).map { [first, $0] }
    }
  }
}

/// A fault from one second up to another.
struct FaultSpan: Equatable, Sendable, CustomStringConvertible {
  var fault: Fault
  var start: Int
  var end: Int
  /// By how much clocks are wrong meanwhile, where that is the fault.
  var jumpSeconds: Int64 = 0

  var description: String {
    "\(fault) \(start)..<\(end)" + (jumpSeconds == 0 ? "" : " by \(jumpSeconds) s")
  }
}

/// When what goes wrong: the same for the same seed.
struct FaultSchedule: Sendable {
  /// An hour, a day, a year either way, and a rollover of the week of GPS.
  private static let jumps: [Int64] = [3600, -3600, 86_400, -86_400, 31_536_000, -619_315_200]

  private(set) var spans: [FaultSpan] = []

  /// Makes a schedule in which each fault comes and goes by itself, so that two overlap in every way.
  ///
  /// Between a blink and half an hour each, with pauses in which there is time to recover.
  init(_ faults: [Fault], seconds: Int, seed: UInt64) {
    for (number, fault) in faults.enumerated() {
      var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 7919)
      var time = Int.random(in: 120...900, using: &generator)
      while true {
        let length = Int(exp(Double.random(in: 0...7.5, using: &generator)))
        let jump = Self.jumps.randomElement(using: &generator) ?? 0
        let span = FaultSpan(
          fault: fault, start: time, end: time + max(1, length),
          jumpSeconds: fault == .clockJumped ? jump : 0)
        guard span.end < seconds - 600 else { break }
        spans.append(span)
        time = span.end + Int.random(in: 60...1800, using: &generator)
      }
    }
    spans.sort { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// Those that have begun by then: what leads up to a failure.
  func prefix(upTo second: Int) -> [FaultSpan] { spans.filter { $0.start <= second } }
}
