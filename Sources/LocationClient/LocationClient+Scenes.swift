// SPDX-License-Identifier: Apache-2.0

public import LocationServices
internal import Positioning

/// Clients that play one situation each, for tests and previews. Each access starts it anew.
extension LocationClient {
  /// Allowed; answers each request with a location in Brooklyn.
  public static var authorizedWhenInUse: LocationClient { authorizedWhenInUse(locatedAt: brooklyn) }

  /// Allowed; answers each request with the location given.
  ///
  /// - Parameter location: Where the board is.
  /// - Returns: The client.
  public static func authorizedWhenInUse(locatedAt location: Location?) -> LocationClient {
    LocationScene(.authorizedWhenInUse, location: location).client
  }

  /// Allowed at any time; answers each request with a location in Brooklyn.
  public static var authorizedAlways: LocationClient {
    LocationScene(.authorizedAlways, location: brooklyn).client
  }

  /// Not decided yet; grants when asked.
  public static var notDetermined: LocationClient {
    LocationScene(.notDetermined, location: brooklyn, grants: true).client
  }

  /// Not decided yet; refuses when asked.
  public static var notDeterminedDenied: LocationClient {
    LocationScene(.notDetermined, location: brooklyn, grants: false).client
  }

  /// Refused.
  public static var denied: LocationClient { LocationScene(.denied, location: nil).client }

  /// Locked.
  public static var restricted: LocationClient { LocationScene(.restricted, location: nil).client }

  private static var brooklyn: Location? {
    Coordinate(latitudeDegrees: 40.6782, longitudeDegrees: -73.9442).map { coordinate in
      var location = Location(coordinate: coordinate)
      location.isSimulated = true
      return location
    }
  }
}
