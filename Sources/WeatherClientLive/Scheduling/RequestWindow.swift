// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The number of requests in the last 24 hours.
///
/// Requests are counted for each hour since boot: a jump of the wall clock would reset a count by
/// calendar day. The window has 25 hours, including the current hour, to cover any 24 hours.
struct RequestWindow: Equatable, Codable, Sendable {
  static let hours = 25

  /// The request counts by hour, the current hour first.
  private var counts: [Int]
  /// The start of the current hour.
  private var began: BootTimestamp

  init(at now: BootTimestamp) {
    counts = [0]
    began = now
  }

  /// The sum of all counts.
  var total: Int { counts.prefix(Self.hours).reduce(0) { $0 + min(max(0, $1), Self.maxCount) } }

  /// The maximum of each count, so that the sum of damaged data cannot overflow.
  private static let maxCount = 1_000_000

  /// Shifts the window to the current time and drops the oldest hours.
  mutating func advance(to now: BootTimestamp) {
    guard let elapsed = now.plausibleSeconds(since: began) else {
      // The time since the previous boot is unknown. Keep all counts, as if all requests had just
      // been sent.
      began = now
      return
    }
    let steps = elapsed / 3600
    if steps > 0 {
      let newHours = Int(min(steps, Int64(Self.hours)))
      counts = Array((Array(repeating: 0, count: newHours) + counts).prefix(Self.hours))
      began = began.advanced(bySeconds: steps * 3600)
    }
    // Convert `began` to the current boot: a later jump of the wall clock must drop no counts.
    began = began.rebased(to: now) ?? now
  }

  /// Subtracts requests that were counted but not sent from the count of the current hour.
  mutating func subtract(_ requests: Int) {
    guard let first = counts.first else { return }
    counts[0] = max(0, min(first, Self.maxCount) - min(max(0, requests), Self.maxCount))
  }

  /// Counts a request in the current hour.
  mutating func count(at now: BootTimestamp) {
    advance(to: now)
    if counts.isEmpty { counts = [0] }
    counts[0] = min(max(0, counts[0]), Self.maxCount) + 1
  }
}
