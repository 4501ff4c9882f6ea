// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What the weather is asked for.
public enum WeatherTarget: Equatable, Hashable, Sendable {
  /// A place, by the number it was found under.
  case place(Place.ID)
  /// A coordinate.
  case coordinate(Coordinate)
}

/// A weather provider as a value that a feature is given.
public struct WeatherClient: Sendable {
  /// The places near a coordinate, the nearest first; none where none is known.
  public var searchLocations: @Sendable (Coordinate) async throws(WeatherError) -> [Place]
  /// The weather.
  public var weather: @Sendable (WeatherTarget) async throws(WeatherError) -> WeatherReport

  /// Makes a client out of its endpoints.
  public init(
    searchLocations:
      @escaping @Sendable (Coordinate) async throws(WeatherError) -> [Place],
    weather: @escaping @Sendable (WeatherTarget) async throws(WeatherError) -> WeatherReport
  ) {
    self.searchLocations = searchLocations
    self.weather = weather
  }
}
