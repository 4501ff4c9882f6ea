// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads from a descriptor that are retried after a signal, and error texts.
enum Descriptor {
  /// Reads at least one byte; returns 0 at the end, or `nil` with `errno` set on failure.
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
