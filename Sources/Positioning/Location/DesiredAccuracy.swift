// SPDX-License-Identifier: Apache-2.0

/// How precise a location a program wants.
///
/// Core Location's `CLLocationAccuracy` is a number, with negative ones for what no number says; it
/// also spends more or less power by it. Differs in that it is an enumeration, and a wish that
/// costs nothing: updates are delivered as they come, and only a one-shot request waits for it.
public enum DesiredAccuracy: Equatable, Hashable, Codable, Sendable {
  /// As precise as the receiver gives.
  ///
  /// Core Location's `kCLLocationAccuracyBestForNavigation` takes in other sensors. Differs in that
  /// it is the same as ``best``: a receiver has no other sensors to switch on.
  case bestForNavigation
  /// As precise as the receiver gives: its first location is as good as any.
  ///
  /// Core Location's `kCLLocationAccuracyBest` asks for the best that its hardware can do. Differs
  /// in that the first location is as good as any: nobody knows whether the receiver's next one is
  /// better.
  case best
  /// Within so many metres, two times out of three.
  ///
  /// Core Location takes any number of metres, too. Differs in that it says how sure that is.
  case meters(Double)
  /// No better than a program of reduced accuracy gets, by its own choice.
  ///
  /// As in Core Location's `kCLLocationAccuracyReduced`, which a program of full accuracy may
  /// choose. Updates and one-shot requests then bring what is described at
  /// ``AccuracyAuthorization/reducedAccuracy``; all else goes on as before.
  case reduced

  /// Within ten metres.
  ///
  /// As in Core Location's `kCLLocationAccuracyNearestTenMeters`.
  public static let nearestTenMeters = DesiredAccuracy.meters(10)
  /// Within a hundred metres.
  ///
  /// As in Core Location's `kCLLocationAccuracyHundredMeters`.
  public static let hundredMeters = DesiredAccuracy.meters(100)
  /// Within a kilometre.
  ///
  /// As in Core Location's `kCLLocationAccuracyKilometer`.
  public static let kilometer = DesiredAccuracy.meters(1000)
  /// Within three kilometres.
  ///
  /// As in Core Location's `kCLLocationAccuracyThreeKilometers`.
  public static let threeKilometers = DesiredAccuracy.meters(3000)

  /// Whether a location is as precise as that; one of unknown accuracy only where any is.
  package func isReached(by location: Location) -> Bool {
    guard case .meters(let meters) = self else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= meters } ?? false
  }
}
