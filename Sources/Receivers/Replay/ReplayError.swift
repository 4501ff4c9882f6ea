// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Why a recording cannot be read.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
  /// At which step.
  public enum Kind: Equatable, Sendable {
    /// There is no such file.
    case noSuchFile
    /// It is there and cannot be opened or read.
    case unreadable
  }

  /// At which step.
  public let kind: Kind
  /// The file, as it was given.
  public let file: String
  /// The system call.
  public let call: String
  /// Its `errno`.
  public let errorNumber: Int32

  init(file: String, _ failure: SystemCallFailure) {
    kind = failure.number == ENOENT || failure.number == ENOTDIR ? .noSuchFile : .unreadable
    self.file = file
    call = failure.call
    errorNumber = failure.number
  }

  /// What to do about it, in a sentence.
  public var advice: String {
    switch errorNumber {
    case ENOENT, ENOTDIR: "Check the name."
    case EACCES: "Give yourself the right to read it."
    case EISDIR: "This is a directory; name a file in it."
    default: "See dmesg for what ails the disk."
    }
  }

  /// The error in one line: what, where, and what to do.
  public var description: String {
    "\(file): \(call): \(SystemCallFailure.text(for: errorNumber)) (errno \(errorNumber)). \(advice)"
  }
}
