// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// A delegate callback as a value, with a case for each method, or a loss of such events.
  public enum DelegateEvent: Equatable, Sendable {
    /// The current authorization: sent first, and after each change of status or accuracy.
    case didChangeAuthorization(AuthorizationStatus)
    /// Locations, at least one, newest last.
    case didUpdateLocations([Location])
    /// An epoch without a position: time, satellites and source only.
    case didReceiveFixWithoutPosition(Fix)
    /// An error; after `LocationError.locationUnknown` the manager keeps trying.
    case didFailWithError(LocationError)
    /// A heading.
    case didUpdateHeading(Heading)
    /// A visit: sent when its start is confirmed, and again when the visit has ended.
    case didVisit(Visit)
    /// The board has entered a region.
    case didEnterRegion(CircularRegion)
    /// The board has left a region.
    case didExitRegion(CircularRegion)
    /// The state of a region.
    case didDetermineState(RegionState, region: CircularRegion)
    /// Monitoring of a region has started.
    case didStartMonitoring(region: CircularRegion)
    /// A region cannot be monitored, either permanently or at present.
    case monitoringDidFail(region: CircularRegion, error: LocationError)
    /// Updates have paused because the board does not move; the program may start them again.
    case didPauseLocationUpdates
    /// Paused updates have been started again.
    case didResumeLocationUpdates
    /// This number of events was dropped before the next event, because the subscriber was slow.
    ///
    /// The lost events are the oldest of the subscription that were not read. They may contain a
    /// change of authorization or a region crossing. To recover, read `authorizationStatus` and
    /// `location` again, and request the states of regions. Other subscribers are not affected.
    case didDropEvents(count: Int)
  }
}
