// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// One comparison of the system clock with a receiver's time, for chronyd's SOCK reference clock.
///
/// Source: `refclock_sock.c` of chrony 4.3.
package struct ChronySample: Equatable, Sendable {
  /// The time of the system clock when the first report of the epoch arrived.
  package let systemTime: UTCTime
  /// The receiver's time minus ``systemTime``, in seconds.
  ///
  /// Too small by the time that the receiver needs to compute and send the first report, typically
  /// 0.05 to 0.3 seconds. The delay is nearly constant, so chrony's option `offset` corrects it.
  package let offsetSeconds: Double

  /// The maximum age of a location, in nanoseconds.
  ///
  /// The system clock may have been set since an older location arrived.
  private static let maxAgeNanoseconds: Int64 = 2_000_000_000
  /// The last field of a sample, without which chronyd drops the datagram.
  private static let magic: Int32 = 0x534f_434b

  /// Creates a sample; `nil` if the time of the location is not certain and exact.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - now: The current time of the clock that timestamps received locations.
  ///   - systemTime: The current time of the system clock, not corrected by a receiver.
  package init?(_ location: Location, now: MonotonicTime, systemTime: UTCTime) {
    guard let clock = ReceiverClock(location), !clock.isGuess(besides: systemTime, at: now),
      !location.isReplayed,
      let time = location.time, !time.isLeapSecond,
      // The time of a location with reduced accuracy is the start of a quarter of an hour. Exact
      // times at that instant are skipped too, since the two cannot be told apart.
      time != time.startOfQuarterHour,
      let arrival = location.firstReceivedAt ?? location.receivedAt
    else { return nil }
    let age = now.nanoseconds &- arrival.nanoseconds
    guard (0...Self.maxAgeNanoseconds).contains(age) else { return nil }
    let remainder = Int64(systemTime.nanosecond) - age % 1_000_000_000
    self.systemTime = UTCTime(
      secondsSince1970: systemTime.secondsSince1970 &- age / 1_000_000_000
        &- (remainder < 0 ? 1 : 0),
      nanosecond: UInt32(remainder < 0 ? remainder + 1_000_000_000 : remainder))
    offsetSeconds = Double(time.nanoseconds(since: self.systemTime)) / 1e9
  }

  /// The datagram: 40 bytes on a 64-bit system, in its byte order.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ value: some BitwiseCopyable) {
      withUnsafeBytes(of: value) { bytes += $0 }
    }
    // struct timeval
    append(systemTime.secondsSince1970)
    append(Int64(systemTime.nanosecond / 1000))
    append(offsetSeconds)
    // Not a pulse; no leap second is announced; padding.
    for _ in 0..<3 { append(Int32(0)) }
    append(Self.magic)
    return bytes
  }
}
