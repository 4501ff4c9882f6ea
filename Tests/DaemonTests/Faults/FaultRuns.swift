// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Independent fault-injection runs, executed on two threads.
final class FaultRuns: @unchecked Sendable {
  private let runs: [FaultRun]
  private let condition = NSCondition()
  // Protected by the condition's lock.
  private var next = 0
  private var summaries: [Int: FaultRun.Summary?] = [:]
  private var hasSecondThread = false

  init(_ runs: [FaultRun]) { self.runs = runs }

  /// Returns the result of a run, and executes pending runs while waiting for the result.
  func summary(of faults: [Fault]) -> FaultRun.Summary? {
    guard let wanted = runs.firstIndex(where: { $0.faults == faults }) else { return nil }
    condition.lock()
    defer { condition.unlock() }
    if !hasSecondThread {
      hasSecondThread = true
      Thread.detachNewThread { [self] in
        condition.lock()
        while runNext() {}
        condition.unlock()
      }
    }
    while summaries[wanted] == nil { if !runNext() { condition.wait() } }
    return summaries[wanted] ?? nil
  }

  /// Executes the next pending run.
  ///
  /// Returns false if there was no pending run.
  ///
  /// The caller must hold the lock, which is released during the run.
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
