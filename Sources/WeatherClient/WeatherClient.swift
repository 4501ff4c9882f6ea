// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The subject of a weather lookup: a place or a coordinate.
public enum WeatherTarget: Equatable, Hashable, Sendable {
  /// A place, by the identifier that `searchLocations` of the same client returned.
  case place(Place.ID)
  /// A coordinate.
  case coordinate(Coordinate)
}

/// A client for places and weather, as a struct of closures that tests can replace.
public struct WeatherClient: Sendable {
  /// Returns the places near a coordinate; empty if no place is known.
  ///
  /// The first place describes the coordinate best: a large town may precede a nearer village. The
  /// other places follow by distance, the nearest first.
  public var searchLocations: @Sendable (Coordinate) async throws(WeatherError) -> [Place]
  /// Looks up the weather.
  public var weather: @Sendable (WeatherTarget) async throws(WeatherError) -> WeatherReport

  /// Creates a client from two closures.
  public init(
    searchLocations:
      @escaping @Sendable (Coordinate) async throws(WeatherError) -> [Place],
    weather: @escaping @Sendable (WeatherTarget) async throws(WeatherError) -> WeatherReport
  ) {
    self.searchLocations = searchLocations
    self.weather = weather
  }
}

/// Mock clients for tests and previews.
extension WeatherClient {
  /// A client that finds no places and returns weather reports without values.
  public static var empty: WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in try emptyReport(for: target) })
  }

  /// A client that returns New York for every search, and two days of weather for every lookup.
  public static var happyPath: WeatherClient {
    WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        guard let newYork else { return [] }
        var place = Place(id: 1, title: "New York", coordinate: newYork)
        place.distanceMeters = newYork.distanceMeters(to: coordinate)
        return [place]
      },
      weather: { target throws(WeatherError) in
        var report = try emptyReport(for: target)
        report.now.temperatureDegreesCelsius = 20
        report.now.condition = .clear
        for (day, lowest, highest) in [(0, 10.0, 30.0), (1, -30, -10)] as [(Int32, Double, Double)]
        {
          var weather = DayWeather(date: UTCDate(daysSince1970: day))
          weather.lowestTemperatureDegreesCelsius = lowest
          weather.highestTemperatureDegreesCelsius = highest
          report.days.append(weather)
        }
        return report
      })
  }

  /// A client that fails every lookup with a network error.
  public static var failed: WeatherClient { failed(.network("no route to host")) }

  /// Returns a client that fails every lookup with the given error.
  public static func failed(_ error: WeatherError) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in throw error },
      weather: { _ throws(WeatherError) in throw error })
  }

  /// Returns a client that delays every call of another client.
  ///
  /// - Parameters:
  ///   - client: The client to delay.
  ///   - delay: The delay before each call.
  ///   - clock: The clock for the delay.
  /// - Returns: The client.
  public static func slow(
    _ client: WeatherClient = .happyPath, by delay: Duration = .seconds(2),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        try await wait(delay, clock)
        return try await client.searchLocations(coordinate)
      },
      weather: { target throws(WeatherError) in
        try await wait(delay, clock)
        return try await client.weather(target)
      })
  }

  private static let newYork = Coordinate(latitudeDegrees: 40.7128, longitudeDegrees: -74.006)

  private static func wait(
    _ delay: Duration, _ clock: any Clock<Duration>
  ) async throws(WeatherError) {
    do { try await clock.sleep(for: delay) } catch { throw .cancelled }
  }

  private static func emptyReport(for target: WeatherTarget) throws(WeatherError) -> WeatherReport {
    let coordinate: Coordinate? =
      switch target {
      case .coordinate(let coordinate): coordinate
      case .place: newYork
      }
    guard let coordinate else { throw .unsupported("this place") }
    var report = WeatherReport(coordinate: coordinate, provider: "played", kind: .forecast)
    report.isSimulated = true
    return report
  }
}
