// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file that could not be read or written, and why.
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which file or folder.
  public var path: String
  /// What was tried, such as `open`.
  public var call: String
  /// The error number.
  public var number: Int32

  /// Whether it is for somebody else to do.
  public var isPermission: Bool { number == EACCES || number == EPERM || number == EROFS }

  /// Whether it is only that there is nothing.
  public var isMissing: Bool { number == ENOENT }

  /// Whether the disk, or the share of it that the user has, is full.
  package var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether it may pass by itself, with the file as it is: for want of descriptors or memory, or of a
  /// disk that answers.
  package var isTemporary: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EIO].contains(number) }

  /// Whether there is more of it than is read.
  package var isTooLarge: Bool { number == EFBIG && call == "read" }

  package init(path: String, call: String, number: Int32) {
    self.path = path
    self.call = call
    self.number = number
  }

  /// The path, the call and the words for the error number.
  public var description: String { "\(path): \(call): \(SystemCallFailure.text(for: number))" }

  /// Makes a call that returns -1 and sets `errno` where it fails, again when a signal cut it off.
  @discardableResult
  package static func check<Value: SignedInteger>(
    _ path: String, _ call: StaticString, _ body: () -> Value
  ) throws(FileFailure) -> Value {
    do throws(SystemCallFailure) { return try SystemCall.run(call, body) } catch {
      throw FileFailure(path: path, call: error.call, number: error.number)
    }
  }
}
