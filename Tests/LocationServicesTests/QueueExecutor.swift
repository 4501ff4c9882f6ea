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
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// An actor that runs on a queue of its own.
actor QueueOwner {
  nonisolated let queue = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Does something while nothing else can run there.
  func hold(_ body: @Sendable () -> Void) { body() }
}
