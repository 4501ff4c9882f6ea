// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// How many requests went out in the last day.
///
/// Counted in hours of the time since the boot, not by calendar days: the wall clock of a board
/// jumps, and a count by its days would begin anew with each jump. Twenty-five hours are held, the
/// present one among them, so that no stretch of twenty-four escapes the count.
struct RequestWindow: Equatable, Codable, Sendable {
  static let hours = 25

  /// The newest hour first.
  private var counts: [Int]
  /// When the newest hour began.
  private var began: BootTimestamp

  init(at now: BootTimestamp) {
    counts = [0]
    began = now
  }

  /// Requests in the hours that are held.
  var total: Int { counts.prefix(Self.hours).reduce(0) { $0 + min(max(0, $1), Self.most) } }

  /// More than any hour sees: a file that says otherwise is not to make the sum overflow.
  private static let most = 1_000_000

  /// Lets hours that are over fall out.
  mutating func advance(to now: BootTimestamp) {
    // A wall clock that went back between two boots tells nothing: what was counted stays.
    guard let elapsed = now.plausibleSeconds(since: began) else {
      // From here on by the new boot's clock, as if all of it had just happened.
      began = now
      return
    }
    let steps = elapsed / 3600
    if steps > 0 {
      let fresh = Int(min(steps, Int64(Self.hours)))
      counts = Array((Array(repeating: 0, count: fresh) + counts).prefix(Self.hours))
      began = began.advanced(bySeconds: steps * 3600)
    }
    // Else a wall clock that jumps in a later boot would make a day of it.
    began = began.rebased(to: now) ?? now
  }

  /// Takes back what was counted in the present hour and did not go out.
  mutating func giveBack(_ requests: Int) {
    guard let first = counts.first else { return }
    counts[0] = max(0, min(first, Self.most) - min(max(0, requests), Self.most))
  }

  /// Counts a request.
  mutating func count(at now: BootTimestamp) {
    advance(to: now)
    if counts.isEmpty { counts = [0] }
    counts[0] = min(max(0, counts[0]), Self.most) + 1
  }
}
