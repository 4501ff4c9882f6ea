// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// Weather values from one source, with their quality, source and age.
public struct WeatherAnswer: Equatable, Hashable, Sendable {
  /// The quality of an answer, the best first.
  public enum Quality: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// A recent report of a provider for a coordinate nearby.
    case fresh
    /// A stored forecast, interpolated to the current time.
    case stored
    /// Measurements by a sensor of the board or by instruments; they contain no weather condition.
    case sensor

    /// Orders the best quality first.
    public static func < (left: Quality, right: Quality) -> Bool { left.rawValue < right.rawValue }
  }

  /// The quality of the values.
  public let quality: Quality
  /// The origin of the values.
  ///
  /// The origin is `observed` or `forecast` for the quality `fresh`, `interpolated` for `stored`,
  /// and `sensor` for `sensor`.
  public let kind: WeatherReport.Kind
  /// The values, which are `nil` if unknown.
  public let weather: CurrentWeather
  /// The name of the provider or sensor.
  public let provider: String
  /// The attribution that the licence requires.
  public let attribution: String?
  /// The seconds since the values were computed or measured, 0 or more.
  public let ageSeconds: Double
  /// The distance in metres from the coordinate of the values to the board.
  public let distanceMeters: Double
  /// Whether the values are simulated.
  public let isSimulated: Bool
  /// The name of the receiver that sent the data, such as `/dev/ttyUSB0`; `nil` for a provider and
  /// for a sensor of the board.
  public var receiver: String?
  /// The program that looked up the values for this board; `nil` if the board did so itself.
  public var via: String?
  /// Whether the values are from a recording.
  public var isReplayed = false
}

/// The result of ``WeatherResolver``: weather from each available source, and the almanac.
public struct ResolvedWeather: Equatable, Hashable, Sendable {
  /// The available answers, at most one for each quality, the best quality first.
  public let weather: [WeatherAnswer]
  /// Sun and moon, or `nil` if the time or the location is unknown.
  public let almanac: Almanac?

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - weather: The available answers, the best quality first.
  ///   - almanac: Sun and moon.
  public init(weather: [WeatherAnswer], almanac: Almanac?) {
    self.weather = weather
    self.almanac = almanac
  }

  /// The answer with the best quality, or `nil` without answers.
  public var best: WeatherAnswer? { weather.first }
}
