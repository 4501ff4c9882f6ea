// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A mark on an open file that one alone writes it: flock(2).
///
/// It belongs to what is open and not to the process, so that two sinks keep each other out as two
/// programs do; it goes with the file when that is renamed, and ends with the process at the latest.
package enum FileLock {
  /// What a failure says that was tried.
  package static let call = "flock"

  /// Takes a file for oneself.
  ///
  /// Throws where another writes it. Where a file system knows no locks, it goes without.
  package static func take(_ descriptor: Int32, _ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      try FileFailure.check(path, "flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
    } catch {
      if error.number == EWOULDBLOCK { throw error }
    }
  }

  /// Lets go of a file and closes it.
  ///
  /// Not by closing alone: a program that is just being started may have it open for a moment more.
  package static func close(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    _ = Glibc.close(descriptor)
  }
}
