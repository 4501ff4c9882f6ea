// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Computes the times at which a serial line sends bytes, at ten bits per byte.
///
/// This is a value type without a clock: the caller waits and writes. Times are in nanoseconds.
package struct LinePacer: Equatable, Sendable {
  /// A range of bytes, and the time at which its last byte has been sent.
  package struct Chunk: Equatable, Sendable {
    /// The range of the bytes.
    package var range: Range<Int>
    /// The time at which the stop bit of the last byte ends.
    package var doneNanoseconds: Int64
  }

  /// The speed of the line in bits per second.
  package let baud: Int

  /// The capacity of the line, with a start bit, eight data bits and a stop bit per byte.
  package var availableBytesPerSecond: Int { baud / 10 }

  /// The number of bursts dropped because of the backlog.
  package private(set) var droppedBursts: UInt64 = 0

  /// The time at which the line will have sent all scheduled bytes.
  private var freeNanoseconds = Int64.min
  private let chunkSize: Int

  /// The backlog above which bytes are dropped, as with a full transmit buffer.
  private static let maxBacklogNanoseconds: Int64 = 1_000_000_000

  /// Makes an idle line.
  ///
  /// Throws ``LinePacerError/speed(baud:)`` if the speed is not 300 to 4,000,000 baud.
  package init(baud: Int) throws(LinePacerError) {
    guard (300...4_000_000).contains(baud) else { throw .speed(baud: baud) }
    self.baud = baud
    // A chunk lasts about two milliseconds, like the buffer of a UART. Larger chunks would be
    // visible as bursts.
    chunkSize = max(1, min(1024, baud / 5000))
  }

  /// Checks that the line can carry a continuous stream.
  ///
  /// Throws ``LinePacerError/tooSlow(baud:neededBytesPerSecond:availableBytesPerSecond:)``.
  package func requireCapacity(bytesPerSecond: Int) throws(LinePacerError) {
    guard bytesPerSecond <= availableBytesPerSecond else {
      throw .tooSlow(
        baud: baud, neededBytesPerSecond: bytesPerSecond,
        availableBytesPerSecond: availableBytesPerSecond)
    }
  }

  /// Schedules bytes for sending.
  ///
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - time: The earliest time at which the bytes can be sent, in nanoseconds.
  /// - Returns: The chunks in which the bytes are sent; empty if the backlog is more than a second
  ///   and the bytes are dropped.
  package mutating func schedule(count: Int, at time: Int64) -> [Chunk] {
    let start = max(time, freeNanoseconds)
    guard start &- time <= Self.maxBacklogNanoseconds else {
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

  /// Returns the time needed to send a number of bytes, in nanoseconds.
  private func duration(of count: Int) -> Int64 {
    let (bits, overflow) = Int64(count).multipliedReportingOverflow(by: 10_000_000_000)
    return overflow ? .max / 4 : bits / Int64(baud)
  }
}
