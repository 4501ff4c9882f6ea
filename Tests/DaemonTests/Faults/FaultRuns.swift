// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs of schedules, two at a time: one keeps one processor busy, and has nothing to do with another.
final class FaultRuns: @unchecked Sendable {
  private let runs: [FaultRun]
  private let condition = NSCondition()
  // Under the condition's lock.
  private var next = 0
  private var summaries: [Int: FaultRun.Summary?] = [:]
  private var hasHelper = false

  init(_ runs: [FaultRun]) { self.runs = runs }

  /// What came of a run; takes part in running them until it is there.
  func summary(of faults: [Fault]) -> FaultRun.Summary? {
    guard let wanted = runs.firstIndex(where: { $0.faults == faults }) else { return nil }
    condition.lock()
    defer { condition.unlock() }
    if !hasHelper {
      hasHelper = true
      Thread.detachNewThread { [self] in
        condition.lock()
        while runNext() {}
        condition.unlock()
      }
    }
    while summaries[wanted] == nil { if !runNext() { condition.wait() } }
    return summaries[wanted] ?? nil
  }

  /// Runs one that nobody has begun; whether there was one.
  ///
  /// The lock is held before and after.
  private func runNext() -> Bool {
    guard next < runs.count else { return false }
    let number = next
    next += 1
    condition.unlock()
    let summary = runs[number]()
    condition.lock()
    summaries.updateValue(summary, forKey: number)
    condition.broadcast()
    return true
  }
}
