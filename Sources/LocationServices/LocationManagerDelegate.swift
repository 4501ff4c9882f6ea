// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Who is told by a ``LocationManager``, with Core Location's names.
///
/// Every method has a default that does nothing: unlike with Core Location, leaving out
/// ``locationManager(_:didFailWithError:)`` ends no program.
public protocol LocationManagerDelegate: AnyObject, Sendable {
  /// Tells of the authorization: once before anything else, and after each change.
  ///
  /// - Parameter manager: Whose; its ``LocationManager/authorizationStatus`` says which.
  func locationManagerDidChangeAuthorization(_ manager: LocationManager)

  /// Delivers locations.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - locations: At least one, the newest last.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// Tells of an epoch for which the receiver has no position, in order with the locations.
  ///
  /// Core Location has no such call. Only while locations would be delivered.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - fix: Of mode `FixMode.none`: its time, its satellites and its source only.
  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix)

  /// Tells that no location comes, and why.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - error: Why. After ``LocationError/locationUnknown`` the manager goes on trying.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)
}

extension LocationManagerDelegate {
  /// Does nothing.
  ///
  /// - Parameter manager: Whose.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - locations: The locations.
  public func locationManager(
    _ manager: LocationManager, didUpdateLocations locations: [Location]
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - fix: The fix.
  public func locationManager(
    _ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - error: Why.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
}
