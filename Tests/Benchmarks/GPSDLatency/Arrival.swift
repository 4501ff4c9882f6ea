// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// When a process had the fix of an epoch; it tells its parent in one line of text.
struct Arrival {
  /// The epoch, by the receiver's clock.
  var epochMilliseconds: Int64
  /// When it was there, by ``MonotonicClock``.
  var atNanoseconds: Int64
  /// When its last bytes had been read from the line; 0 where that is not known.
  var readNanoseconds: Int64 = 0

  /// How long after a moment it was there, in nanoseconds.
  func since(_ nanoseconds: Int64) -> Int64 { atNanoseconds - nanoseconds }

  /// Tells it on standard output, in one system call after the time was taken.
  func tell() {
    let line = Array("\(epochMilliseconds) \(atNanoseconds) \(readNanoseconds)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Arrival {
  /// Reads a line; `nil` for any other text.
  init?(line: Substring) {
    let numbers = line.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 3 else { return nil }
    self.init(
      epochMilliseconds: numbers[0], atNanoseconds: numbers[1], readNanoseconds: numbers[2])
  }
}

extension UTCTime {
  /// Rounded: gpsd's JSON has milliseconds, and libgps makes a binary fraction of them.
  var milliseconds: Int64 { secondsSince1970 * 1000 + (Int64(nanosecond) + 500_000) / 1_000_000 }
}
