// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import Synchronization

@testable import Receivers

/// A simulated receiver on a serial port, which can be unplugged.
///
/// The port's source decodes the bytes with the real decoder, and throws the errors of a real port.
final class SerialFeed: Sendable {
  private struct State {
    var isPlugged = true
    var reader: AsyncStream<[UInt8]>.Continuation?
    var counters = NMEACounters()
  }

  private struct Port: FixSource, NMEACounting {
    var counters: NMEACounters { feed.state.withLock { $0.counters } }
    let name: String
    let feed: SerialFeed
    let now: @Sendable () -> MonotonicTime

    func run(
      delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
    ) async throws(SerialError) {
      guard let bytes = feed.open() else {
        throw SerialError(kind: .open, devnode: name, call: "open", errorNumber: ENOENT)
      }
      var decoder = NMEADecoder(source: name, pace: .live)
      for await chunk in bytes {
        decoder.decode(chunk.span, receivedAt: now(), deliver: deliver)
        feed.state.withLock { $0.counters = decoder.counters }
      }
      guard Task.isCancelled else {
        throw SerialError(kind: .hangUp, devnode: name, call: "read")
      }
    }
  }

  private let state = Mutex(State())

  /// Returns the source for the port.
  ///
  /// Used by `SourceEnvironment`.
  func port(_ devnode: String, now: @escaping @Sendable () -> MonotonicTime) -> any FixSource {
    Port(name: devnode, feed: self, now: now)
  }

  func plug() { state.withLock { $0.isPlugged = true } }

  func unplug() {
    let reader = state.withLock { state in
      state.isPlugged = false
      defer { state.reader = nil }
      return state.reader
    }
    reader?.finish()
  }

  /// Sends an epoch.
  ///
  /// The epoch is lost if the receiver is unplugged or the port is not open.
  func send(_ bytes: [UInt8]) { _ = state.withLock { $0.reader }?.yield(bytes) }

  private func open() -> AsyncStream<[UInt8]>? {
    let (bytes, reader) = AsyncStream.makeStream(of: [UInt8].self)
    let isPlugged = state.withLock { state in
      if state.isPlugged { state.reader = reader }
      return state.isPlugged
    }
    return isPlugged ? bytes : nil
  }
}

/// Formats the two sentences of an epoch as a receiver sends them.
enum SentenceText {
  static func epoch(at time: UTCTime, _ coordinate: Coordinate) -> [UInt8] {
    let (date, second) = (time.date.civil, time.secondsSince1970 % 86_400)
    let clock = padded(second / 3600) + padded(second / 60 % 60) + padded(second % 60) + ".00"
    let place =
      angle(coordinate.latitudeDegrees, wholeDigits: 2, "N", "S") + ","
      + angle(coordinate.longitudeDegrees, wholeDigits: 3, "E", "W")
    let dayText =
      padded(Int64(date.day)) + padded(Int64(date.month)) + padded(Int64(date.year % 100))
    return sentence("GPRMC,\(clock),A,\(place),58.3,090.0,\(dayText),,,A")
      + sentence("GPGGA,\(clock),\(place),1,08,1.0,100.0,M,46.0,M,,")
  }

  private static func sentence(_ body: String) -> [UInt8] {
    let sum = body.utf8.reduce(0) { $0 ^ $1 }
    let digits = String(sum, radix: 16, uppercase: true)
    return Array("$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n".utf8)
  }

  private static func angle(
    _ degrees: Double, wholeDigits: Int, _ positive: String, _ negative: String
  ) -> String {
    let units = Int64((abs(degrees) * 600_000).rounded())
    let whole = String(units / 600_000)
    let minutes = units % 600_000
    let part = String(minutes % 10_000)
    return String(repeating: "0", count: wholeDigits - whole.count) + whole
      + padded(minutes / 10_000) + "." + String(repeating: "0", count: 4 - part.count) + part + ","
      + (degrees < 0 ? negative : positive)
  }

  private static func padded(_ number: Int64) -> String {
    (number < 10 ? "0" : "") + String(number)
  }
}
