// SPDX-License-Identifier: Apache-2.0

/// The baud rates at which a line yielded no NMEA, and the most useful data that it carried.
package struct BaudRateTrials: Equatable, Sendable {
  /// The number of bytes from which the data at one baud rate is classified.
  private static let minBytes: UInt64 = 32

  /// The tried baud rates in the order of the trials, each once; empty if the rate is configured.
  package private(set) var bauds: [Int] = []
  /// The most useful data at any tried baud rate.
  package private(set) var best = LineInput.none
  /// The baud rate of ``best``; `nil` while there is no data.
  package private(set) var bestBaud: Int?

  package init() {}

  /// Records the end of a trial.
  ///
  /// - Parameters:
  ///   - baud: The tried baud rate; `nil` if it is unknown to termios.
  ///   - start: The line's counters at the start of the trial.
  ///   - end: The line's counters at the end of the trial.
  mutating func note(baud: Int?, from start: NMEACounters, to end: NMEACounters) {
    guard let baud else { return }
    if !bauds.contains(baud) { bauds.append(baud) }
    guard end.bytes &- start.bytes >= Self.minBytes else { return }
    let input = LineInput(end, since: start)
    if input > best { (best, bestBaud) = (input, baud) }
  }
}
