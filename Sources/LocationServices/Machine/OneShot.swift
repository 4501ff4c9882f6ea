// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A request for one location: the first that is precise enough, or in the end the best so far.
struct OneShot: Equatable, Sendable {
  /// Tells its timer from those of requests before it.
  let number: UInt64
  private(set) var best: Location?

  init(number: UInt64) { self.number = number }

  /// Takes a location; gives the answer, where it is one.
  mutating func take(_ location: Location, desired: DesiredAccuracy) -> Location? {
    if desired.isReached(by: location) { return location }
    if isBetter(location) { best = location }
    return nil
  }

  mutating func forgetBest() { best = nil }

  /// Of two of unknown or equal accuracy the newer is better: it is less out of date.
  private func isBetter(_ location: Location) -> Bool {
    guard let known = best?.horizontalAccuracyMeters else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= known } ?? false
  }
}
