// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Says when bytes can leave a serial line: ten bits each, one after another.
///
/// A plain value on a time scale of nanoseconds; whoever owns the clock waits and writes.
package struct LinePacer: Equatable, Sendable {
  /// Some bytes, and when the last of them is out.
  package struct Chunk: Equatable, Sendable {
    /// Which of the bytes.
    package var range: Range<Int>
    /// When the stop bit of the last has passed.
    package var doneNanoseconds: Int64
  }

  /// The speed of the line in bits a second.
  package let baud: Int

  /// What the line carries: start bit, eight data bits, stop bit.
  package var availableBytesPerSecond: Int { baud / 10 }

  /// How many times bytes were refused because the line was behind.
  package private(set) var droppedBursts: UInt64 = 0

  /// When the line will have sent all it has taken.
  private var freeNanoseconds = Int64.min
  private let chunkSize: Int

  /// The backlog beyond which bytes are refused, as a full transmit buffer does.
  private static let longestBacklogNanoseconds: Int64 = 1_000_000_000

  /// Makes a line with nothing on it.
  ///
  /// Throws ``LinePacerError/speed(baud:)`` for any other speed.
  package init(baud: Int) throws(LinePacerError) {
    guard (300...4_000_000).contains(baud) else { throw .speed(baud: baud) }
    self.baud = baud
    // About two milliseconds' worth, like a UART's buffer: fewer wake-ups would show as bursts.
    chunkSize = max(1, min(1024, baud / 5000))
  }

  /// Checks that the line can carry a stream for ever.
  ///
  /// Throws ``LinePacerError/tooSlow(baud:neededBytesPerSecond:availableBytesPerSecond:)``.
  package func requireCapacity(bytesPerSecond: Int) throws(LinePacerError) {
    guard bytesPerSecond <= availableBytesPerSecond else {
      throw .tooSlow(
        baud: baud, neededBytesPerSecond: bytesPerSecond,
        availableBytesPerSecond: availableBytesPerSecond)
    }
  }

  /// Puts bytes on the line.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - time: When they are there to be sent, in nanoseconds.
  /// - Returns: The chunks in which they leave; empty where the line is more than a second
  ///   behind and they are dropped.
  package mutating func schedule(count: Int, at time: Int64) -> [Chunk] {
    let start = max(time, freeNanoseconds)
    guard start &- time <= Self.longestBacklogNanoseconds else {
      droppedBursts &+= 1
      return []
    }
    var chunks: [Chunk] = []
    chunks.reserveCapacity(count / chunkSize + 1)
    var sent = 0
    while sent < count {
      let next = min(count, sent + chunkSize)
      chunks.append(Chunk(range: sent..<next, doneNanoseconds: start &+ duration(of: next)))
      sent = next
    }
    freeNanoseconds = start &+ duration(of: max(0, count))
    return chunks
  }

  /// How long that many bytes take, rounded to the nanosecond.
  private func duration(of count: Int) -> Int64 {
    let (bits, overflow) = Int64(count).multipliedReportingOverflow(by: 10_000_000_000)
    return overflow ? .max / 4 : bits / Int64(baud)
  }
}
