// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// When a process had the fix of an epoch; it tells its parent in one line of text.
struct Arrival {
  /// The epoch, by the receiver's clock.
  var epochMilliseconds: Int64
  /// When it was there, by ``MonotonicClock``.
  var atNanoseconds: Int64

  /// Tells it on standard output, in one system call after the time was taken.
  func tell() {
    let line = Array("\(epochMilliseconds) \(atNanoseconds)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Arrival {
  /// Reads a line; `nil` for any other text.
  init?(line: Substring) {
    let words = line.split(separator: " ")
    guard words.count == 2, let epoch = Int64(words[0]), let time = Int64(words[1]) else {
      return nil
    }
    self.init(epochMilliseconds: epoch, atNanoseconds: time)
  }
}

extension UTCTime {
  /// Rounded: gpsd's JSON has milliseconds, and libgps makes a binary fraction of them.
  var milliseconds: Int64 { secondsSince1970 * 1000 + (Int64(nanosecond) + 500_000) / 1_000_000 }
}
