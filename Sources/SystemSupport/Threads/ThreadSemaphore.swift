// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A counting semaphore for threads that may block.
package final class ThreadSemaphore: Sendable {
  nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

  /// Makes a semaphore with a count of 0.
  package init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Increments the count, without blocking.
  package func post() { sem_post(semaphore) }

  /// Blocks until the count is above 0, and then decrements it.
  package func wait() { while sem_wait(semaphore) != 0 {} }
}
