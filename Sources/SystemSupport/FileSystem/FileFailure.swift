// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A failed system call on a file or folder.
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file or folder.
  public var path: String
  /// The name of the system call, such as `open`.
  public var call: String
  /// The error number.
  public var number: Int32

  /// Whether permission is denied or the file system is read-only.
  public var isPermission: Bool { number == EACCES || number == EPERM || number == EROFS }

  /// Whether the file does not exist.
  public var isMissing: Bool { number == ENOENT }

  /// Whether the disk or the user's quota is full.
  package var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether a later attempt may succeed without a change of the file: descriptors or memory are
  /// exhausted, or the disk fails.
  package var isTemporary: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EIO].contains(number) }

  /// Whether the file is larger than the limit for reading.
  package var isTooLarge: Bool { number == EFBIG && call == "read" }

  package init(path: String, call: String, number: Int32) {
    self.path = path
    self.call = call
    self.number = number
  }

  /// The path, the call and the system's text for the error number.
  public var description: String { "\(path): \(call): \(SystemCallFailure.text(for: number))" }

  /// Makes a system call that returns -1 and sets `errno` on failure; retries on `EINTR`.
  @discardableResult
  package static func check<Value: SignedInteger>(
    _ path: String, _ call: StaticString, _ body: () -> Value
  ) throws(FileFailure) -> Value {
    do throws(SystemCallFailure) { return try SystemCall.run(call, body) } catch {
      throw FileFailure(path: path, call: error.call, number: error.number)
    }
  }
}
