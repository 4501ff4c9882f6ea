// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Whether the board has stayed near one point for long.
struct StationaryDetector: Sendable {
  static let meters = 50.0
  static let seconds = 900.0

  private var anchor: (coordinate: Coordinate, since: MonotonicTime)?
  private(set) var isStationary = false

  mutating func reset() { self = StationaryDetector() }

  /// Takes where it is; true where it has just come to rest.
  mutating func take(_ coordinate: Coordinate, at now: MonotonicTime) -> Bool {
    guard let anchor, isNear(coordinate, anchor.coordinate) else {
      anchor = (coordinate, now)
      isStationary = false
      return false
    }
    guard !isStationary, now.seconds(since: anchor.since) >= Self.seconds else { return false }
    isStationary = true
    return true
  }

  private func isNear(_ coordinate: Coordinate, _ anchor: Coordinate) -> Bool {
    coordinate == anchor || anchor.distanceMeters(to: coordinate) <= Self.meters
  }
}
