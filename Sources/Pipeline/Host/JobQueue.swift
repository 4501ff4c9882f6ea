// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides which of a few worker threads runs the queued jobs.
///
/// A single worker runs all jobs, as long as it makes progress.
///
/// While a worker is active, new jobs wake no other worker, so a burst of small jobs costs one
/// wakeup. If the active worker has been inside one job for too long, the next new job wakes
/// another worker. The stalled worker becomes idle when its job ends.
struct JobQueue<Job> {
  /// The worker to wake or start for a new job.
  enum Wakeup: Equatable {
    /// Wake no worker: a worker is active, or all workers are stalled.
    case nothing
    /// Wake this idle worker.
    case wake(Int)
    /// Start this worker's thread.
    case start(Int)
  }

  private struct Activity {
    var worker: Int
    /// The time at which the worker was woken or started its current job.
    var since: MonotonicTime
  }

  /// The maximum number of workers.
  let limit: Int
  /// The time inside one job after which a worker is stalled and another worker runs the queue.
  let stallNanoseconds: Int64
  private var active: Activity?
  private var idle: [Int] = []
  private var count = 0
  /// The numbers of workers whose thread could not be started.
  private var unstarted: [Int] = []
  private var jobs: [Job] = []

  init(limit: Int, stallNanoseconds: Int64) {
    self.limit = max(limit, 1)
    self.stallNanoseconds = stallNanoseconds
  }

  /// Adds a worker, which becomes active at once, and returns its number.
  mutating func addWorker(at now: MonotonicTime) -> Int {
    let worker = unstarted.popLast() ?? count
    if worker == count { count += 1 }
    active = Activity(worker: worker, since: now)
    return worker
  }

  /// Appends a job and returns the worker to wake or start for it.
  mutating func add(_ job: Job, at now: MonotonicTime) -> Wakeup {
    jobs.append(job)
    guard needsWorker(at: now) else { return .nothing }
    if let worker = idle.popLast() {
      active = Activity(worker: worker, since: now)
      return .wake(worker)
    }
    return count < limit || !unstarted.isEmpty ? .start(addWorker(at: now)) : .nothing
  }

  /// Returns the next job for a worker that was woken or has completed a job, or `nil` if the
  /// worker becomes idle.
  mutating func next(for worker: Int, at now: MonotonicTime) -> Job? {
    let isActive = active?.worker == worker
    // A stalled worker that completes its job takes over if the active worker is stalled too.
    if !jobs.isEmpty, isActive || needsWorker(at: now) {
      active = Activity(worker: worker, since: now)
      return jobs.removeFirst()
    }
    if isActive { active = nil }
    idle.append(worker)
    return nil
  }

  /// Handles a worker whose thread could not be started.
  ///
  /// Returns the idle worker to wake for the waiting jobs. If no worker is idle, the waiting jobs
  /// are run by the next worker that completes a job, or by the worker that the next job wakes.
  mutating func handleStartFailure(_ worker: Int, at now: MonotonicTime) -> Wakeup {
    unstarted.append(worker)
    if active?.worker == worker { active = nil }
    guard active == nil, !jobs.isEmpty, let other = idle.popLast() else { return .nothing }
    active = Activity(worker: other, since: now)
    return .wake(other)
  }

  /// Whether no worker makes progress on the queue.
  private func needsWorker(at now: MonotonicTime) -> Bool {
    guard let active else { return true }
    return now.nanoseconds &- active.since.nanoseconds > stallNanoseconds
  }
}
