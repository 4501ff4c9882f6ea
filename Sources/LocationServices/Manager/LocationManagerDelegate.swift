// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Who is told by a ``LocationManager``.
///
/// As Core Location's `CLLocationManagerDelegate`, by name. Differs in that every method has a
/// default that does nothing: leaving out ``locationManager(_:didFailWithError:)`` ends no program.
public protocol LocationManagerDelegate: AnyObject, Sendable {
  /// Tells of the authorization: once before anything else, and after each change.
  ///
  /// As in Core Location, also of a change of accuracy alone. Differs in that it comes when the
  /// delegate is set and not when the manager is made: there is nobody to tell before.
  ///
  /// - Parameter manager: Whose; its ``LocationManager/authorizationStatus`` says which.
  func locationManagerDidChangeAuthorization(_ manager: LocationManager)

  /// Delivers locations.
  ///
  /// As in Core Location for updates, significant changes and one-shot requests alike. Differs in
  /// that it is one location at a time, since receivers speak once an epoch; an array it stays for
  /// programs that come from there.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - locations: At least one, the newest last.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// Tells of an epoch for which the receiver has no position, in order with the locations.
  ///
  /// Core Location has no such call. Only while locations would be delivered; under reduced
  /// accuracy no more often than they are.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - fix: Of mode `FixMode.none`: its time, its satellites and its source only.
  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix)

  /// Tells that no location comes, and why.
  ///
  /// Core Location may repeat `LocationError.locationUnknown` at each try. Differs in that it
  /// comes once for each outage, since a receiver under a roof would repeat it each second.
  /// `LocationError.denied` comes once for each time that something is refused or withdrawn.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - error: Why. After `LocationError.locationUnknown` the manager goes on trying.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// Delivers a heading.
  ///
  /// As in Core Location, once it differs by the filter. Differs in that it never asks for a
  /// calibration, which no receiver does.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - heading: Where the bow points.
  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading)

  /// Tells of a visit: once when it has begun for certain, and once when it is over.
  ///
  /// As in Core Location. Differs in that it says what makes a visit, and comes within minutes:
  /// there is no battery to wait for.
  func locationManager(_ manager: LocationManager, didVisit visit: Visit)

  /// Tells that the board has come into a region.
  ///
  /// As in Core Location never where it was inside when monitoring began. Differs in that ten
  /// seconds within the border are enough, where Core Location may take minutes to save power.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// Tells that the board has gone out of a region.
  ///
  /// As in Core Location. Differs in that ten seconds beyond the border and the receiver's own
  /// error are enough.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// Answers a request for the state of a region; also follows each crossing of its border.
  ///
  /// As in Core Location. Differs in that the answer is unknown also where the program may not
  /// know at present, which Core Location answers with an error.
  ///
  /// - Parameters:
  ///   - manager: Who tells.
  ///   - state: Where the board is.
  ///   - region: With regard to which.
  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)

  /// Tells that a region is monitored from now on.
  ///
  /// As in Core Location. Differs in that it is told at once, not after a setup that may be delayed.
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion)

  /// Tells that a region is not monitored, or at present not.
  ///
  /// As in Core Location. Differs in that a region is always named: nothing fails for all of them
  /// alike, as a daemon there can.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError)

  /// Tells that updates have ended because the board does not move, where the program wants that.
  ///
  /// As in Core Location it is up to the program to start them again.
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)

  /// Tells that updates which had paused have been started again.
  ///
  /// As in Core Location, where the program has started them: neither does so by itself.
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)
}

extension LocationManagerDelegate {
  /// Does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didUpdateLocations locations: [Location]
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix
  ) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: Who delivers.
  ///   - heading: Where the bow points.
  public func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}

  /// Does nothing.
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
  public func locationManager(
    _ manager: LocationManager, didStartMonitoringFor region: CircularRegion
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError
  ) {}

  /// Does nothing.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {}
}
