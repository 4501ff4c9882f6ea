// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Pipeline

/// The assignment of jobs to worker threads, at times chosen by the tests.
@Suite("Job queue")
struct JobQueueTests {
  /// A queue with one idle worker; a worker is stalled after 10 ns in one job.
  private static func makeQueue(limit: Int = 3) -> JobQueue<String> {
    var queue = JobQueue<String>(limit: limit, stallNanoseconds: 10)
    #expect(queue.addWorker(at: time(0)) == 0)
    #expect(queue.next(for: 0, at: time(0)) == nil)
    return queue
  }

  private static func time(_ nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds)
  }

  @Test func `a burst of jobs wakes one worker, which runs all jobs in order, including later jobs`() {
    var queue = Self.makeQueue()
    #expect(queue.add("a", at: Self.time(1)) == .wake(0))
    #expect(queue.add("b", at: Self.time(2)) == .nothing)
    #expect(queue.next(for: 0, at: Self.time(3)) == "a")
    #expect(queue.add("c", at: Self.time(4)) == .nothing)
    #expect(queue.next(for: 0, at: Self.time(5)) == "b")
    #expect(queue.next(for: 0, at: Self.time(6)) == "c")
    #expect(queue.next(for: 0, at: Self.time(7)) == nil)
    #expect(queue.add("d", at: Self.time(8)) == .wake(0))
  }

  @Test func `a worker that runs many short jobs is not stalled`() {
    var queue = Self.makeQueue()
    #expect(queue.add("0", at: Self.time(0)) == .wake(0))
    for job in 1...9 {
      let time = Self.time(Int64(job) * 8)
      #expect(queue.next(for: 0, at: time) == "\(job - 1)")
      #expect(queue.add("\(job)", at: time.advanced(byNanoseconds: 7)) == .nothing)
    }
  }

  @Test func `if a worker is stalled, the next job wakes another worker, which then runs all jobs`() {
    var queue = Self.makeQueue()
    #expect(queue.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(queue.add("a", at: Self.time(10)) == .nothing)
    #expect(queue.add("b", at: Self.time(11)) == .start(1))
    #expect(queue.add("c", at: Self.time(12)) == .nothing)
    #expect(queue.next(for: 1, at: Self.time(13)) == "a")
    // The first worker's job ends while the second worker is active: only the second continues.
    #expect(queue.next(for: 0, at: Self.time(14)) == nil)
    #expect(queue.next(for: 1, at: Self.time(15)) == "b")
    #expect(queue.next(for: 1, at: Self.time(16)) == "c")
    #expect(queue.next(for: 1, at: Self.time(17)) == nil)
    #expect(queue.add("d", at: Self.time(18)) == .wake(1))
    #expect(queue.next(for: 1, at: Self.time(18)) == "d")
    // No worker is started while another worker is idle.
    #expect(queue.add("e", at: Self.time(29)) == .wake(0))
  }

  @Test func `while all workers are stalled, jobs wait for the first worker that completes its job`() {
    var queue = Self.makeQueue(limit: 2)
    #expect(queue.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(queue.add("stuck too", at: Self.time(20)) == .start(1))
    #expect(queue.next(for: 1, at: Self.time(20)) == "stuck too")
    #expect(queue.add("a", at: Self.time(40)) == .nothing)
    #expect(queue.add("b", at: Self.time(41)) == .nothing)
    #expect(queue.next(for: 0, at: Self.time(50)) == "a")
    // The first worker is active again.
    #expect(queue.next(for: 1, at: Self.time(51)) == nil)
    #expect(queue.next(for: 0, at: Self.time(52)) == "b")
  }

  @Test func `if no thread can be started, jobs wait for the next free worker`() {
    var queue = Self.makeQueue()
    #expect(queue.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(queue.add("a", at: Self.time(20)) == .start(1))
    #expect(queue.handleStartFailure(1, at: Self.time(20)) == .nothing)
    #expect(queue.add("b", at: Self.time(21)) == .start(1))
    #expect(queue.handleStartFailure(1, at: Self.time(21)) == .nothing)
    #expect(queue.next(for: 0, at: Self.time(22)) == "a")
    #expect(queue.next(for: 0, at: Self.time(23)) == "b")
    #expect(queue.next(for: 0, at: Self.time(24)) == nil)
    #expect(queue.add("c", at: Self.time(25)) == .wake(0))
  }

  @Test func `if a worker's thread cannot be started, the worker that became idle meanwhile is woken`() {
    var queue = Self.makeQueue()
    #expect(queue.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(queue.add("a", at: Self.time(20)) == .start(1))
    #expect(queue.next(for: 0, at: Self.time(21)) == nil)
    #expect(queue.handleStartFailure(1, at: Self.time(22)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(22)) == "a")
  }

  @Test func `a worker whose thread cannot be started does not affect a worker that was started meanwhile`() {
    var queue = Self.makeQueue()
    #expect(queue.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(queue.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(queue.add("a", at: Self.time(20)) == .start(1))
    #expect(queue.add("b", at: Self.time(40)) == .start(2))
    #expect(queue.handleStartFailure(1, at: Self.time(41)) == .nothing)
    #expect(queue.next(for: 2, at: Self.time(42)) == "a")
    // The number of the failed worker is used again; the other worker remains active.
    #expect(queue.add("c", at: Self.time(43)) == .nothing)
    #expect(queue.add("d", at: Self.time(60)) == .start(1))
  }
}
