// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// What a manager tells its delegate, a case for each method.
  public enum DelegateEvent: Equatable, Sendable {
    /// The authorization, first and after each change of the status or of the accuracy.
    case didChangeAuthorization(AuthorizationStatus)
    /// Locations, at least one, the newest last.
    case didUpdateLocations([Location])
    /// An epoch for which the receiver has no position: its time, satellites and source only.
    case didReceiveFixWithoutPosition(Fix)
    /// Why no location comes. After `LocationError.locationUnknown` the manager goes on trying.
    case didFailWithError(LocationError)
    /// Where the bow points.
    case didUpdateHeading(Heading)
    /// A stay, once when it has begun for certain and once when it is over.
    case didVisit(Visit)
    /// The board has come into a region.
    case didEnterRegion(CircularRegion)
    /// The board has gone out of a region.
    case didExitRegion(CircularRegion)
    /// Where the board is with regard to a region.
    case didDetermineState(RegionState, region: CircularRegion)
    /// A region is monitored from now on.
    case didStartMonitoring(region: CircularRegion)
    /// A region is not monitored, or at present not.
    case monitoringDidFail(region: CircularRegion, error: LocationError)
    /// Updates have ended because the board does not move; the program may start them again.
    case didPauseLocationUpdates
    /// Updates that had paused have been started again.
    case didResumeLocationUpdates
  }
}
