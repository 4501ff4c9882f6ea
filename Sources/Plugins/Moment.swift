// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The time of an event by the receiver, or else by its arrival.
struct Moment {
  private let time: UTCTime?
  private let receivedAt: MonotonicTime?

  init(_ time: UTCTime?, _ receivedAt: MonotonicTime?) {
    self.time = time
    self.receivedAt = receivedAt
  }

  /// Returns the seconds since another event; `nil` if they are unknown.
  func seconds(since other: Moment) -> Double? {
    if let then = other.time, let time { return Double(time.nanoseconds(since: then)) / 1e9 }
    guard let then = other.receivedAt, let receivedAt else { return nil }
    return receivedAt.seconds(since: then)
  }
}
