// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc

/// A temporary fault on a board.
enum Fault: String, CaseIterable, Sendable, CustomStringConvertible {
  case receiverUnplugged, gpsdKilled, pathLost, providerDown, diskFull, sinkBlocked, execCrashing
  case configurationBroken, clockJumped

  var description: String { rawValue }

  /// All pairs of different faults.
  static var pairs: [[Fault]] {
    allCases.enumerated().flatMap { index, first in
      allCases.dropFirst(index + 1).map { [first, $0] }
    }
  }
}

/// A fault, with the seconds at which it begins and ends.
struct FaultSpan: Equatable, Sendable, CustomStringConvertible {
  var fault: Fault
  var start: Int
  var end: Int
  /// The error of the wall clock during `clockJumped`.
  var jumpSeconds: Int64 = 0

  var description: String {
    "\(fault) \(start)..<\(end)" + (jumpSeconds == 0 ? "" : " by \(jumpSeconds) s")
  }
}

/// A schedule of faults.
///
/// The same seed results in the same schedule.
struct FaultSchedule: Sendable {
  /// Clock errors: an hour and a day in both directions, a year, and a rollover of the GPS week.
  private static let jumps: [Int64] = [3600, -3600, 86_400, -86_400, 31_536_000, -619_315_200]

  private(set) var spans: [FaultSpan] = []

  /// Creates a schedule in which each fault occurs independently of the others, so that two faults
  /// overlap in all possible ways.
  ///
  /// A fault lasts from a second to half an hour. The pauses between two occurrences are long
  /// enough for the daemon to recover.
  init(_ faults: [Fault], seconds: Int, seed: UInt64) {
    for (number, fault) in faults.enumerated() {
      // Each fault has its own seed; 7919 is an arbitrary prime.
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

  /// Returns the faults that began in or before a second, to explain a failure.
  func prefix(upTo second: Int) -> [FaultSpan] { spans.filter { $0.start <= second } }
}
