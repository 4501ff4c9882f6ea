// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// Weather values from one source, with their quality, source and age.
public struct WeatherAnswer: Equatable, Hashable, Sendable {
  /// The quality of an answer, the best first.
  public enum Quality: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// A recent report of a provider for a place nearby.
    case fresh
    /// A stored forecast, interpolated to the current time.
    case stored
    /// A sensor of the board or instruments connected through a receiver. Has no condition.
    case sensor

    /// Orders the best quality first.
    public static func < (left: Quality, right: Quality) -> Bool { left.rawValue < right.rawValue }
  }

  /// The quality of the values.
  public let quality: Quality
  /// The origin of the values: `observed` or `forecast` if fresh, `interpolated` if stored,
  /// `sensor` from a sensor.
  public let kind: WeatherReport.Kind
  /// The values.
  ///
  /// Unknown ones are `nil`.
  public let weather: CurrentWeather
  /// The name of the provider or sensor.
  public let provider: String
  /// The attribution that the licence requires.
  public let attribution: String?
  /// The seconds since the values were computed or measured, 0 or more.
  public let ageSeconds: Double
  /// The distance in metres from the place of the values to the board.
  public let distanceMeters: Double
  /// Whether the values are simulated.
  public let isSimulated: Bool
  /// The receiver that sent the instrument's data, such as its devnode; `nil` for a provider and
  /// for the board's own sensor.
  public var receiver: String?
}

/// The result of ``WeatherResolver``: weather from each available source, and the almanac.
public struct ResolvedWeather: Equatable, Hashable, Sendable {
  /// The available answers, the best quality first, at most one of each quality.
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

  /// The answer of the best quality, or `nil` if none exists.
  public var best: WeatherAnswer? { weather.first }
}
