// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Detects that the board has stayed within 50 m of one point for 15 minutes.
struct StationaryDetector: Sendable {
  static let meters = 50.0
  static let seconds = 900.0

  private var anchor: (coordinate: Coordinate, since: MonotonicTime)?
  private(set) var isStationary = false

  mutating func reset() { self = StationaryDetector() }

  /// Processes a position; returns true when the board has just become stationary.
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
