// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The number of requests in the last 24 hours.
///
/// Counts by hour of the time since boot, not by calendar day, since a jump of the wall clock would
/// reset a daily count. Keeps 25 hours including the current one, so that any 24 hours are covered.
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

  /// The limit for a count, so that damaged data cannot make the sum overflow.
  private static let maxCount = 1_000_000

  /// Shifts the window and drops hours that have left it.
  mutating func advance(to now: BootTimestamp) {
    // If the elapsed time since another boot is unknown, keep all counts.
    guard let elapsed = now.plausibleSeconds(since: began) else {
      // Continue with the clock of this boot, as if all requests had just been sent.
      began = now
      return
    }
    let steps = elapsed / 3600
    if steps > 0 {
      let fresh = Int(min(steps, Int64(Self.hours)))
      counts = Array((Array(repeating: 0, count: fresh) + counts).prefix(Self.hours))
      began = began.advanced(bySeconds: steps * 3600)
    }
    // Rebase, so that a jump of the wall clock in a later boot does not drop the counts too early.
    began = began.rebased(to: now) ?? now
  }

  /// Subtracts requests from the current hour that were counted but not sent.
  mutating func giveBack(_ requests: Int) {
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
