// SPDX-License-Identifier: Apache-2.0

/// How precise a location a program wants, with Core Location's names.
///
/// A wish and not a promise: updates are delivered as they come, and only a one-shot request waits
/// for it. Core Location also spends more or less power by it, which a receiver here does not.
public enum DesiredAccuracy: Equatable, Hashable, Codable, Sendable {
  /// As precise as the receiver gives; here the same as ``best``.
  case bestForNavigation
  /// As precise as the receiver gives: its first location is as good as any.
  case best
  /// Within so many metres, two times out of three.
  case meters(Double)
  /// No better than a program of reduced accuracy gets, by its own choice.
  case reduced

  /// Within ten metres.
  public static let nearestTenMeters = DesiredAccuracy.meters(10)
  /// Within a hundred metres.
  public static let hundredMeters = DesiredAccuracy.meters(100)
  /// Within a kilometre.
  public static let kilometer = DesiredAccuracy.meters(1000)
  /// Within three kilometres.
  public static let threeKilometers = DesiredAccuracy.meters(3000)

  /// Whether a location is as precise as that; one of unknown accuracy only where any is.
  func isReached(by location: Location) -> Bool {
    guard case .meters(let meters) = self else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= meters } ?? false
  }
}
