// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads that go on after a signal, and the words for what went wrong.
enum Descriptor {
  /// Reads what is there, at least a byte; 0 at the end, `nil` and `errno` on failure.
  static func readSome(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int? {
    while true {
      let count = read(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      guard errno == EINTR else { return nil }
    }
  }

  /// The text of an error number.
  static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
