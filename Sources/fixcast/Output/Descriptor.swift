// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Functions that read from a descriptor, and that describe an error number.
enum Descriptor {
  /// Reads at least one byte, and retries after a signal.
  ///
  /// - Returns: The number of bytes; 0 at the end of the file, `nil` with `errno` set on failure.
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
