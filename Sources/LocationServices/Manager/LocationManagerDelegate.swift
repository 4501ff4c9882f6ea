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

  /// Delivers a heading.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - heading: Where the bow points.
  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading)

  /// Tells of a visit: once when it has begun for certain, and once when it is over.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - visit: The visit.
  func locationManager(_ manager: LocationManager, didVisit visit: Visit)

  /// Tells that the board has come into a region.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// Tells that the board has gone out of a region.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// Answers a request for the state of a region; also follows each crossing of its border.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - state: Where the board is.
  ///   - region: With regard to which.
  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)

  /// Tells that a region is monitored from now on.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion)

  /// Tells that a region is not monitored, or at present not.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  ///   - error: Why.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError)

  /// Tells that updates have ended because the board does not move.
  ///
  /// As in Core Location it is up to the program to start them again.
  ///
  /// - Parameter manager: Whose.
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)

  /// Tells that updates which had paused have been started again.
  ///
  /// - Parameter manager: Whose.
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)
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

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - heading: Where the bow points.
  public func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - visit: The visit.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - state: Where the board is.
  ///   - region: With regard to which.
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  public func locationManager(
    _ manager: LocationManager, didStartMonitoringFor region: CircularRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - region: Which.
  ///   - error: Why.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError
  ) {}

  /// Does nothing.
  ///
  /// - Parameter manager: Whose.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {}

  /// Does nothing.
  ///
  /// - Parameter manager: Whose.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {}
}
