// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that failed.
package struct SystemCallFailure: Error, Equatable {
  package var call: String
  package var number: Int32

  package init(call: String, number: Int32) {
    self.call = call
    self.number = number
  }

  /// The words for an error number, such as "Permission denied".
  package static func text(for number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    // Swift sees the POSIX form, which fills the buffer and always ends it.
    _ = strerror_r(number, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "error \(number)" : String(decoding: bytes, as: UTF8.self)
  }
}

package enum SystemCall {
  /// Makes a call that returns -1 and sets `errno` where it fails, again when a signal cut it off.
  @discardableResult
  package static func run<Value: SignedInteger>(
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
  package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
