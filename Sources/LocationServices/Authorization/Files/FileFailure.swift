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
  var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether it may pass by itself, with the file as it is: for want of descriptors or memory, or of a
  /// disk that answers.
  var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EIO].contains(number) }

  /// Whether there is more of it than is read.
  package var isTooLarge: Bool { number == EFBIG && call == "read" }

  package init(path: String, call: String, number: Int32) {
    self.path = path
    self.call = call
    self.number = number
  }

  /// The path, the call and the words for the error number.
  public var description: String { "\(path): \(call): \(Self.text(of: number))" }

  package static func text(of number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    // Swift sees the POSIX form, which fills the buffer and always ends it.
    _ = strerror_r(number, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "error \(number)" : String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a call that returns -1 and sets `errno` where it fails, again when a signal cut it off.
  @discardableResult
  package static func check<Value: SignedInteger>(
    _ path: String, _ call: StaticString, _ body: () -> Value
  ) throws(FileFailure) -> Value {
    while true {
      let value = body()
      guard value == -1 else { return value }
      let number = errno
      guard number == EINTR else {
        throw FileFailure(path: path, call: "\(call)", number: number)
      }
    }
  }
}
