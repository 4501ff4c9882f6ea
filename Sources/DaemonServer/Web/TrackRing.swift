// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The positions of the last hour, one in ten seconds at most, in memory only.
struct TrackRing: Sendable {
  struct Point: Equatable, Sendable {
    var time: UTCTime
    var coordinate: Coordinate
    fileprivate var receivedAt: MonotonicTime
  }

  static let intervalSeconds = 10.0
  static let maxSeconds = 3600.0
  static let maxPoints = 360

  private var stored: [Point] = []
  /// The index of the oldest point once all places are taken.
  private var start = 0

  /// Appends the position of a fix unless the last point is too recent or the fix has no time.
  mutating func take(_ fix: Fix, at now: MonotonicTime) {
    guard fix.mode > .none, let coordinate = fix.coordinate, let time = fix.time else { return }
    if let last, now.seconds(since: last.receivedAt) < Self.intervalSeconds { return }
    let point = Point(time: time, coordinate: coordinate, receivedAt: now)
    if stored.count < Self.maxPoints {
      stored.append(point)
    } else {
      stored[start] = point
      start = (start + 1) % Self.maxPoints
    }
  }

  private var last: Point? {
    stored.isEmpty ? nil : stored[(start + stored.count - 1) % stored.count]
  }

  /// Returns the points of the last hour, the oldest first.
  func points(at now: MonotonicTime) -> [Point] {
    (stored[start...] + stored[..<start]).filter {
      now.seconds(since: $0.receivedAt) <= Self.maxSeconds
    }
  }
}
