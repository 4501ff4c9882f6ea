// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides which of a few threads does the work that tasks share: one at a time, as long as it gets
/// on with it.
///
/// While one is on duty nobody is called for what comes in, so that a burst of small jobs costs one
/// wakeup. One that is inside the same job for too long is relieved by another as soon as the next
/// job comes in, and rests when it is done with its own.
struct JobQueue<Job> {
  /// Who is to be called.
  enum Call: Equatable {
    /// Somebody is at work, or nobody is left.
    case nobody
    /// One that rests.
    case wake(Int)
    /// One that is not there yet.
    case start(Int)
  }

  private struct Duty {
    var worker: Int
    /// When it was called, or began its present job.
    var since: MonotonicTime
  }

  /// How many there may be.
  let limit: Int
  /// How long one may be inside a job before another is called for what waits.
  let patienceNanoseconds: Int64
  private var duty: Duty?
  private var resting: [Int] = []
  private var count = 0
  /// The numbers of those that could not be had.
  private var vacant: [Int] = []
  private var jobs: [Job] = []

  init(limit: Int, patienceNanoseconds: Int64) {
    self.limit = max(limit, 1)
    self.patienceNanoseconds = patienceNanoseconds
  }

  /// Takes on another, who is on duty from the beginning.
  mutating func hire(at now: MonotonicTime) -> Int {
    let worker = vacant.popLast() ?? count
    if worker == count { count += 1 }
    duty = Duty(worker: worker, since: now)
    return worker
  }

  /// Takes a job.
  mutating func add(_ job: Job, at now: MonotonicTime) -> Call {
    jobs.append(job)
    guard isFree(at: now) else { return .nobody }
    if let worker = resting.popLast() {
      duty = Duty(worker: worker, since: now)
      return .wake(worker)
    }
    return count < limit || !vacant.isEmpty ? .start(hire(at: now)) : .nobody
  }

  /// The next job of one that has been called, or is done with a job.
  ///
  /// Returns the job; `nil` where it is to rest until it is called.
  mutating func next(for worker: Int, at now: MonotonicTime) -> Job? {
    let isOnDuty = duty?.worker == worker
    // One that was relieved goes on where the one after it is stuck too.
    if !jobs.isEmpty, isOnDuty || isFree(at: now) {
      duty = Duty(worker: worker, since: now)
      return jobs.removeFirst()
    }
    if isOnDuty { duty = nil }
    resting.append(worker)
    return nil
  }

  /// One that was hired is not to be had.
  ///
  /// Returns who is to be called for what waits: one that went to rest because of it. Else that is
  /// for whoever is done first, or is called with the next job.
  mutating func couldNotStart(_ worker: Int, at now: MonotonicTime) -> Call {
    vacant.append(worker)
    if duty?.worker == worker { duty = nil }
    guard duty == nil, !jobs.isEmpty, let other = resting.popLast() else { return .nobody }
    duty = Duty(worker: other, since: now)
    return .wake(other)
  }

  /// Whether nobody gets on with what waits.
  private func isFree(at now: MonotonicTime) -> Bool {
    guard let duty else { return true }
    return now.nanoseconds &- duty.since.nanoseconds > patienceNanoseconds
  }
}
