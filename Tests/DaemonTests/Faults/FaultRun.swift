// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline

@testable import Daemon

/// One run of a schedule.
///
/// The invariants are checked after each second.
struct FaultRun {
  /// A violated invariant, with the data needed to reproduce the failure.
  struct Failure: CustomStringConvertible {
    var seed: UInt64
    var second: Int
    var violation: String
    var prefix: [FaultSpan]

    var description: String {
      "seed \(seed), second \(second): \(violation)\n  after "
        + prefix.map(\.description).joined(separator: ", ")
    }
  }

  /// The result of a run, with counts that show that the daemon has processed events.
  struct Summary {
    var failure: Failure?
    var locations: UInt64 = 0
    var weather: UInt64 = 0
    var errors: UInt64 = 0
    var restarts: UInt64 = 0
    /// Number of lines that programs have read.
    var lines: UInt64 = 0
  }

  let faults: [Fault]
  let seconds: Int
  let seed: UInt64

  func callAsFunction() -> Summary? { SteppedTasks.use { run($0) } }

  private func run(_ stepper: SteppedTasks) -> Summary {
    var summary = Summary()
    let schedule = FaultSchedule(faults, seconds: seconds, seed: seed)
    do {
      let board = try FaultFixture(seed: seed, stepper)
      defer { board.stop(stepper) }
      board.start()
      stepper.settle()
      var checks = FaultChecks()
      for second in 1...seconds {
        try advanceOneSecond(stepper, board.environment.clock)
        for span in schedule.spans {
          if span.end == second { try end(span, board, &checks) }
          if span.start == second { try begin(span, board, &checks) }
        }
        board.environment.sendEpoch(second)
        stepper.settle()
        if let violation = checks.violation(on: board, second) {
          summary.failure = Failure(
            seed: seed, second: second, violation: violation,
            prefix: schedule.prefix(upTo: second))
          return summary
        }
      }
      summary.lines = board.environment.programs.lineCount
      let report = board.daemon.report()
      summary.locations = board.witness.count.locations
      summary.weather = board.witness.count.weather
      summary.errors = report.source.errorCount + report.plugins.reduce(0) { $0 + $1.errorCount }
      summary.restarts = report.plugins.reduce(0) { $0 + $1.restartCount }
    } catch {
      summary.failure = Failure(seed: seed, second: 0, violation: "\(error)", prefix: [])
    }
    return summary
  }

  /// Advances the clock by a second, from one deadline to the next.
  private func advanceOneSecond(_ stepper: SteppedTasks, _ clock: ManualClock) throws {
    var remaining = Duration.seconds(1)
    var deadlineCount = 0
    while remaining > .zero {
      remaining -= clock.advanceToNextDeadline(within: remaining)
      stepper.settle()
      deadlineCount += 1
      if deadlineCount > 10_000 { throw TooManyDeadlines() }
    }
  }

  private struct TooManyDeadlines: Error, CustomStringConvertible {
    let description = "ten thousand deadlines in a second"
  }

  private func begin(_ span: FaultSpan, _ board: FaultFixture, _ checks: inout FaultChecks) throws {
    board.environment.begin(span)
    checks.began(span)
    if span.fault == .configurationBroken { try board.configure(isBroken: true) }
  }

  private func end(_ span: FaultSpan, _ board: FaultFixture, _ checks: inout FaultChecks) throws {
    board.environment.end(span)
    checks.ended(span)
    if span.fault == .configurationBroken { try board.configure(isBroken: false) }
  }
}
