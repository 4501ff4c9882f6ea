// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// A failure to read a recording.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The category of a failure.
  public enum Kind: Equatable, Sendable {
    /// The file does not exist.
    case noSuchFile
    /// The file exists but cannot be opened or read.
    case unreadable
  }

  /// The category of the failure.
  public let kind: Kind
  /// The path of the file, as passed by the caller.
  public let file: String
  /// The system call that failed.
  public let call: String
  /// The `errno` of the call.
  public let errorNumber: Int32

  init(file: String, _ failure: SystemCallFailure) {
    kind = failure.number == ENOENT || failure.number == ENOTDIR ? .noSuchFile : .unreadable
    self.file = file
    call = failure.call
    errorNumber = failure.number
  }

  /// The remedy.
  public var advice: String {
    switch errorNumber {
    case ENOENT, ENOTDIR: "check the name"
    case EACCES: "check the file's permissions"
    case EISDIR: "specify a file"
    default: "check dmesg for disk errors"
    }
  }

  /// The error and its remedy in one line.
  public var description: String {
    "\(file): \(call): \(SystemCallFailure.text(for: errorNumber)) (errno \(errorNumber)); \(advice)"
  }
}
