// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// The arrival time of a fix in a process, reported to the parent as a line of text.
struct Arrival {
  /// The time of the epoch since 1970, according to the receiver's clock.
  var epochMilliseconds: Int64
  /// The time of arrival, according to ``MonotonicClock``.
  var atNanoseconds: Int64
  /// The time at which the last bytes were read from the line; 0 if unknown.
  var readNanoseconds: Int64 = 0

  /// Returns the nanoseconds from a time to the arrival.
  func nanoseconds(since nanoseconds: Int64) -> Int64 { atNanoseconds - nanoseconds }

  /// Prints the arrival on standard output, with one system call.
  func report() {
    let line = Array("\(epochMilliseconds) \(atNanoseconds) \(readNanoseconds)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Arrival {
  /// Parses a line; `nil` for any other text.
  init?(line: Substring) {
    let numbers = line.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 3 else { return nil }
    self.init(
      epochMilliseconds: numbers[0], atNanoseconds: numbers[1], readNanoseconds: numbers[2])
  }
}

extension UTCTime {
  /// Milliseconds since 1970, rounded, because libgps stores the time as a binary fraction.
  var milliseconds: Int64 { secondsSince1970 * 1000 + (Int64(nanosecond) + 500_000) / 1_000_000 }
}
