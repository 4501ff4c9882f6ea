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

/// Providers that play one situation each, for tests and previews.
extension WeatherClient {
  /// Knows no place and no value.
  public static var empty: WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in try blank(target) })
  }

  /// Knows New York and two days of weather there.
  public static var happyPath: WeatherClient {
    WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        guard let newYork else { return [] }
        var place = Place(id: 1, title: "New York", coordinate: newYork)
        place.distanceMeters = newYork.distanceMeters(to: coordinate)
        return [place]
      },
      weather: { target throws(WeatherError) in
        var report = try blank(target)
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

  /// Fails each lookup, for want of a network.
  public static var failed: WeatherClient { failed(.network("no route to host")) }

  /// Fails each lookup.
  public static func failed(_ error: WeatherError) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in throw error },
      weather: { _ throws(WeatherError) in throw error })
  }

  /// Answers as another client does, after a while.
  ///
  /// - Parameters:
  ///   - client: Who answers.
  ///   - delay: After how long.
  ///   - clock: What that is measured by.
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

  private static func blank(_ target: WeatherTarget) throws(WeatherError) -> WeatherReport {
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
