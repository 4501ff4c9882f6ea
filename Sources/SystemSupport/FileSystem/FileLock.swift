// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An exclusive lock on an open file: flock(2).
///
/// The lock belongs to the open file and not to the process, so two sinks of one process cannot
/// lock the same file. A rename of the file does not affect the lock. The lock is released when the
/// process ends at the latest.
package enum FileLock {
  /// The value of ``FileFailure/call`` if the file is already locked.
  package static let call = "flock"

  /// Locks a file without waiting.
  ///
  /// Throws if the file is already locked. Does nothing on a file system without locks.
  package static func take(_ descriptor: Int32, _ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      try FileFailure.check(path, "flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
    } catch {
      if error.number == EWOULDBLOCK { throw error }
    }
  }

  /// Unlocks and closes a file.
  ///
  /// Closing alone does not release the lock while a child process that is just being started still
  /// has the descriptor open.
  package static func close(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    _ = Glibc.close(descriptor)
  }
}
