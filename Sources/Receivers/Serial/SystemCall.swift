// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call that failed.
struct SystemCallFailure: Error, Equatable {
  var call: String
  var number: Int32

  /// The words for an error number, such as "Permission denied".
  static func text(for number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    // Swift sees the POSIX form, which fills the buffer and always ends it.
    _ = strerror_r(number, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "error \(number)" : String(decoding: bytes, as: UTF8.self)
  }
}

/// The one place from which system calls are made.
enum SystemCall {
  /// Makes a call that returns -1 and sets `errno` where it fails, again when a signal cut it off.
  @discardableResult
  static func run<Value: SignedInteger>(
    _ call: StaticString, _ body: () -> Value
  ) throws(SystemCallFailure) -> Value {
    while true {
      let value = body()
      guard value == -1 else { return value }
      let number = errno
      guard number == EINTR else {
        throw SystemCallFailure(call: String(describing: call), number: number)
      }
    }
  }

  /// Closes a descriptor.
  ///
  /// Not retried: Linux has released it whatever close(2) says.
  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
