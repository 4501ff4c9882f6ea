// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Limits the rate of positions: fewer at rest than on the move.
struct PositionRate: Sendable {
  /// The minimum time between two positions on the move, in seconds.
  var intervalSeconds = 10.0
  /// The distance from the last position beyond which the board is on the move, in metres.
  var distanceMeters = 10.0
  /// The minimum time between two positions at rest, in seconds.
  var restIntervalSeconds = 30.0
  private var lastPosition: (coordinate: Coordinate, at: MonotonicTime)?
  private var lastLoss: MonotonicTime?
  /// Whether the last publication was a position.
  private var hasPosition = false

  init() {}

  /// Returns whether to publish a location, and records it if so.
  ///
  /// The first position after a loss is subject only to `intervalSeconds`.
  mutating func takes(_ coordinate: Coordinate, at now: MonotonicTime) -> Bool {
    if let last = lastPosition {
      let isMoving = last.coordinate.distanceMeters(to: coordinate) >= distanceMeters
      let seconds = isMoving || !hasPosition ? intervalSeconds : restIntervalSeconds
      guard isDue(after: last.at, seconds, now) else { return false }
    }
    (lastPosition, hasPosition) = ((coordinate, now), true)
    return true
  }

  /// Returns whether to publish that there is no position, and records it if so.
  ///
  /// The first loss after a position is subject only to `intervalSeconds` since the last loss.
  mutating func takesLoss(at now: MonotonicTime) -> Bool {
    if let last = lastLoss {
      let seconds = hasPosition ? intervalSeconds : restIntervalSeconds
      guard isDue(after: last, seconds, now) else { return false }
    }
    (lastLoss, hasPosition) = (now, false)
    return true
  }

  /// Returns whether the last publication was a position, and records a loss if so.
  ///
  /// Has no interval: the loss of a receiver is reported only once. There are no more losses than
  /// positions.
  mutating func takesLossOfReceiver(at now: MonotonicTime) -> Bool {
    guard hasPosition else { return false }
    (lastLoss, hasPosition) = (now, false)
    return true
  }

  private func isDue(
    after last: MonotonicTime, _ seconds: Double, _ now: MonotonicTime
  ) -> Bool {
    // Somewhat less, since locations do not arrive at exact intervals.
    now.seconds(since: last) >= seconds - min(seconds * 0.05, 0.5)
  }
}
