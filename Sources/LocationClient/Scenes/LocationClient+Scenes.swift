// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Clients that simulate one situation each, for tests, previews and the demo.
///
/// Each access creates a new client. The client answers at once, whereas a manager takes time.
/// Otherwise the client behaves like a manager: while authorization is undetermined, services and
/// requests wait. A grant starts them; a refusal causes one error for each.
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

  /// A client whose authorization is undetermined and that grants each request for it.
  public static var notDetermined: LocationClient {
    scene(.notDetermined, at: brooklyn, grants: true)
  }

  /// A client whose authorization is undetermined and that refuses each request for it.
  public static var notDeterminedDenied: LocationClient { scene(.notDetermined, at: brooklyn) }

  /// A client whose authorization is denied.
  public static var denied: LocationClient { scene(.denied, at: nil) }

  /// A client whose authorization is restricted.
  public static var restricted: LocationClient { scene(.restricted, at: nil) }

  /// A client that is authorized with reduced accuracy and grants each request for full accuracy.
  ///
  /// Each request for a location is answered with the center of a cell about five kilometres wide in
  /// Brooklyn, as a manager does. After a grant of temporary full accuracy, accuracy remains full.
  public static var reducedAccuracy: LocationClient { reducedAccuracy(grants: true) }

  /// A client that is authorized with reduced accuracy and declines each request for full accuracy.
  public static var reducedAccuracyDeclined: LocationClient { reducedAccuracy(grants: false) }

  /// A client of a board whose location services are switched off.
  ///
  /// Its authorization is denied, as for every program of the board.
  public static var locationServicesDisabled: LocationClient {
    LocationScene(.withoutServices).client
  }

  /// Returns a client that begins its replay when a service starts or a location is requested.
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
      SceneMachine(recordedWith: status, grants: true),
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

  private static func reducedAccuracy(grants: Bool) -> LocationClient {
    LocationScene(
      SceneMachine(at: brooklyn, reducedTo: brooklynCell, grants: grants)
    ).client
  }

  /// The location that a manager with reduced accuracy delivers in Brooklyn.
  private static var brooklynCell: Location? {
    guard var location = brooklyn,
      let center = Coordinate(latitudeDegrees: 40.675, longitudeDegrees: -73.94505494505495)
    else { return nil }
    location.coordinate = center
    location.horizontalAccuracy = Accuracy(meters: 5000, confidencePercent: 68, basis: .dilution)
    return location
  }

  private static var brooklyn: Location? {
    Coordinate(latitudeDegrees: 40.6782, longitudeDegrees: -73.9442).map { coordinate in
      var location = Location(coordinate: coordinate)
      location.isSimulated = true
      return location
    }
  }
}
