// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A request for one location.
///
/// The answer is the first location that is precise enough, or the best location so far at the
/// timeout.
struct OneShot: Equatable, Sendable {
  /// Distinguishes the timer of this request from those of earlier requests.
  let number: UInt64
  private(set) var best: Location?

  init(number: UInt64) { self.number = number }

  /// Processes a location; returns the location if it answers the request.
  mutating func take(_ location: Location, desired: DesiredAccuracy) -> Location? {
    if desired.isReached(by: location) { return location }
    if isBetter(location) { best = location }
    return nil
  }

  mutating func forgetBest() { best = nil }

  /// Whether the location replaces the best one so far; at equal accuracy, the newer one wins.
  private func isBetter(_ location: Location) -> Bool {
    guard let bestMeters = best?.horizontalAccuracyMeters else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= bestMeters } ?? false
  }
}
