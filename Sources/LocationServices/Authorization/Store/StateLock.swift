// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// A lock file that serializes writers; the kernel releases the lock when its holder ends.
struct StateLock {
  let descriptor: Int32

  init(path: String, timeout: Duration) throws(DecisionStoreError) {
    do throws(FileFailure) {
      descriptor = try FileFailure.check(path, "open") {
        open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
    } catch { throw .file(error) }
    do throws(FileFailure) { try StateFolder.adopt(descriptor, path: path) } catch {
      close(descriptor)
      throw .file(error)
    }
    // The wait is limited, because a suspended program would hold the lock for ever.
    let deadline = ContinuousClock.now + timeout
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < deadline else {
        close(descriptor)
        throw .busy(path: path)
      }
      usleep(5000)
    }
  }

  func release() { FileLock.close(descriptor) }
}
