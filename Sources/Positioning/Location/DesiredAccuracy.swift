// SPDX-License-Identifier: Apache-2.0

/// The accuracy that a program requests.
///
/// Corresponds to `CLLocationAccuracy`, which is a number, with negative numbers for special
/// values, and controls power consumption. Differs from Core Location: this is an enumeration that
/// has no effect on power consumption: updates are delivered at the receiver's rate, and only a
/// one-shot request waits for the accuracy.
public enum DesiredAccuracy: Equatable, Hashable, Codable, Sendable {
  /// The accuracy of the receiver.
  ///
  /// Corresponds to `kCLLocationAccuracyBestForNavigation`, which also uses other sensors. Differs
  /// from Core Location: the value is the same as ``best``, because a receiver has no other
  /// sensors.
  case bestForNavigation
  /// The accuracy of the receiver; a one-shot request accepts the first location.
  ///
  /// Corresponds to `kCLLocationAccuracyBest`, which requests the best accuracy of the hardware.
  /// Differs from Core Location: a one-shot request does not wait for a better location, which may
  /// never arrive.
  case best
  /// A number of metres, at 68 % confidence.
  ///
  /// Corresponds to any other `CLLocationAccuracy`. Differs from Core Location: the confidence is
  /// defined.
  case meters(Double)
  /// The reduced accuracy, chosen by a program that is authorized for full accuracy.
  ///
  /// Corresponds to `kCLLocationAccuracyReduced`. Updates and one-shot requests then deliver
  /// locations as described at ``AccuracyAuthorization/reducedAccuracy``; other services are
  /// unchanged.
  case reduced

  /// Ten metres.
  ///
  /// Corresponds to `kCLLocationAccuracyNearestTenMeters`.
  public static let nearestTenMeters = DesiredAccuracy.meters(10)
  /// A hundred metres.
  ///
  /// Corresponds to `kCLLocationAccuracyHundredMeters`.
  public static let hundredMeters = DesiredAccuracy.meters(100)
  /// One kilometre.
  ///
  /// Corresponds to `kCLLocationAccuracyKilometer`.
  public static let kilometer = DesiredAccuracy.meters(1000)
  /// Three kilometres.
  ///
  /// Corresponds to `kCLLocationAccuracyThreeKilometers`.
  public static let threeKilometers = DesiredAccuracy.meters(3000)

  /// Returns whether a location has this accuracy.
  ///
  /// Returns true for a location of unknown accuracy, except for ``meters(_:)``.
  package func isReached(by location: Location) -> Bool {
    guard case .meters(let meters) = self else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= meters } ?? false
  }
}
