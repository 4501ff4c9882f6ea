// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Clients that simulate one situation each, for tests, previews and the demo.
///
/// Each access creates a new client. The client answers at once, whereas a manager takes time.
/// Otherwise the client behaves like a manager: while authorization is undetermined, services and
/// requests wait. A grant starts them; a refusal fails each of them once.
extension LocationClient {
  /// A client that is authorized and answers each request with a location in Brooklyn.
  public static var authorizedWhenInUse: LocationClient { authorizedWhenInUse(locatedAt: brooklyn) }

  /// Returns a client that is authorized and answers each request with a location.
  ///
  /// - Parameter location: The location; if it is `nil`, requests fail with
  ///   `LocationError.locationUnknown`.
  /// - Returns: The client.
  public static func authorizedWhenInUse(locatedAt location: Location?) -> LocationClient {
    scene(.authorizedWhenInUse, at: location)
  }

  /// A client that is authorized at any time and answers each request with a location in Brooklyn.
  public static var authorizedAlways: LocationClient { scene(.authorizedAlways, at: brooklyn) }

  /// A client that is undetermined and grants each request for authorization.
  public static var notDetermined: LocationClient {
    scene(.notDetermined, at: brooklyn, grants: true)
  }

  /// A client that is undetermined and refuses each request for authorization.
  public static var notDeterminedDenied: LocationClient { scene(.notDetermined, at: brooklyn) }

  /// A client whose authorization is denied.
  public static var denied: LocationClient { scene(.denied, at: nil) }

  /// A client whose authorization is restricted.
  public static var restricted: LocationClient { scene(.restricted, at: nil) }

  /// Returns a client that replays events after the first service is started or request is made.
  ///
  /// An event is delivered only if the program is authorized and has started the service that
  /// causes it. Locations arrive between start and stop, or once after a request. A change of
  /// authorization takes effect in the client. After the last event the streams stay open, and a
  /// request for a location fails with `LocationError.locationUnknown`. Settings have no effect on
  /// the recorded events.
  ///
  /// - Parameters:
  ///   - events: The events, each with the delay after the previous one.
  ///   - status: The initial authorization; requests are granted.
  ///   - clock: The clock for the delays.
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

  /// Returns a client that replays a track; the first location is delivered at once.
  ///
  /// - Parameters:
  ///   - locations: The track.
  ///   - interval: The time between two locations.
  ///   - status: The initial authorization; requests are granted.
  ///   - clock: The clock for the intervals.
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
