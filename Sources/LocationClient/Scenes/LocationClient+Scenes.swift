// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Clients that play one situation each, for tests, previews and the demo.
///
/// Each access starts it anew. They answer at once, where a manager takes its time; all else they
/// do as one does: what was started or asked for while undetermined waits for the grant, and
/// fails once with a refusal.
extension LocationClient {
  /// Allowed; answers each request with a location in Brooklyn.
  public static var authorizedWhenInUse: LocationClient { authorizedWhenInUse(locatedAt: brooklyn) }

  /// Allowed; answers each request with the location given.
  ///
  /// - Parameter location: Where the board is; `nil` where it does not know, so that requests
  ///   fail with `LocationError.locationUnknown`.
  /// - Returns: The client.
  public static func authorizedWhenInUse(locatedAt location: Location?) -> LocationClient {
    scene(.authorizedWhenInUse, at: location)
  }

  /// Allowed at any time; answers each request with a location in Brooklyn.
  public static var authorizedAlways: LocationClient { scene(.authorizedAlways, at: brooklyn) }

  /// Not decided yet; grants when asked.
  public static var notDetermined: LocationClient {
    scene(.notDetermined, at: brooklyn, grants: true)
  }

  /// Not decided yet; refuses when asked.
  public static var notDeterminedDenied: LocationClient { scene(.notDetermined, at: brooklyn) }

  /// Refused.
  public static var denied: LocationClient { scene(.denied, at: nil) }

  /// Locked.
  public static var restricted: LocationClient { scene(.restricted, at: nil) }

  /// Plays what was recorded, beginning when anything is started or asked for.
  ///
  /// An event is told only to a program that may know and has started what brings it: locations
  /// come between start and stop, or one after a request. A change of authorization happens to
  /// the client, with all that follows from it. After the last event the streams stay open, and a
  /// request for a location fails with `LocationError.locationUnknown`. Settings change nothing:
  /// the events are what was told once.
  ///
  /// - Parameters:
  ///   - events: How long after the event before, and the event.
  ///   - status: The authorization in the beginning; requests are granted.
  ///   - clock: What the time is measured by.
  /// - Returns: The client.
  public static func recorded(
    _ events: [(after: Duration, event: DelegateEvent)],
    status: AuthorizationStatus = .authorizedWhenInUse,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> LocationClient {
    LocationScene(
      SceneMachine(played: status, grants: true),
      recording: LocationRecording(events, clock: clock)
    ).client
  }

  /// Plays a way: one location after the other, the first at once.
  ///
  /// - Parameters:
  ///   - locations: The way.
  ///   - interval: The time from one to the next.
  ///   - status: The authorization in the beginning; requests are granted.
  ///   - clock: What the time is measured by.
  /// - Returns: The client.
  public static func recorded(
    _ locations: [Location], every interval: Duration,
    status: AuthorizationStatus = .authorizedWhenInUse,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> LocationClient {
    recorded(
      locations.enumerated().map { index, location in
        (index == 0 ? .zero : interval, .didUpdateLocations([location]))
      }, status: status, clock: clock)
  }

  private static func scene(
    _ status: AuthorizationStatus, at place: Location?, grants: Bool = false
  ) -> LocationClient {
    LocationScene(SceneMachine(status, at: place, grants: grants)).client
  }

  private static var brooklyn: Location? {
    Coordinate(latitudeDegrees: 40.6782, longitudeDegrees: -73.9442).map { coordinate in
      var location = Location(coordinate: coordinate)
      location.isSimulated = true
      return location
    }
  }
}
