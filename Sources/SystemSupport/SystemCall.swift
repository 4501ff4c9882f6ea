// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A failed system call.
package struct SystemCallFailure: Error, Equatable {
  package var call: String
  package var number: Int32

  package init(call: String, number: Int32) {
    self.call = call
    self.number = number
  }

  /// Returns the system's text for an error number, such as "Permission denied".
  package static func text(for number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    // Swift imports the POSIX variant, which writes a terminated text to the buffer.
    _ = strerror_r(number, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "error \(number)" : String(decoding: bytes, as: UTF8.self)
  }
}

package enum SystemCall {
  /// Makes a system call that returns -1 and sets `errno` on failure; retries on `EINTR`.
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
  /// Errors are ignored: Linux releases the descriptor even if close(2) fails.
  package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
