// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Counts what one thread waits for and others do, on threads that may block.
package final class ThreadSemaphore: Sendable {
  nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

  /// Makes one that nothing was done for yet.
  package init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Says that it is done, once; returns at once.
  package func post() { sem_post(semaphore) }

  /// Blocks until it is done once more than was waited for.
  package func wait() { while sem_wait(semaphore) != 0 {} }
}
