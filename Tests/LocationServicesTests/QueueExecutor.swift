// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs the jobs of an actor one after another on a queue, and knows whether it does so now.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "fixcast.test")
  private let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  /// Whether it runs whoever asks.
  var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Does something behind what waits.
  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// Runs the jobs of tasks on a queue, and knows whether it does so now.
final class QueueTasks: TaskExecutor {
  private let queue = QueueExecutor()

  /// Whether it runs whoever asks.
  var isHere: Bool { queue.isHere }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor that runs on a queue of its own.
actor QueueOwner {
  nonisolated let queue = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Does something while nothing else can run there.
  func hold(_ body: @Sendable () -> Void) { body() }
}
