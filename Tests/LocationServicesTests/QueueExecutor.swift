// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A serial executor on a dispatch queue that can check whether the caller runs on it.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "fixcast.test")
  private let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  /// Whether the caller runs on this executor.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs a closure after the queued jobs.
  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// A task executor on a dispatch queue that can check whether the caller runs on it.
final class QueueTasks: TaskExecutor {
  private let queue = QueueExecutor()

  /// Whether the caller runs on this executor.
  var isCurrent: Bool { queue.isCurrent }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor with a dispatch queue of its own.
actor QueueOwner {
  nonisolated let queue = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Runs a closure while the queue is blocked for everything else.
  func hold(_ body: @Sendable () -> Void) { body() }
}
