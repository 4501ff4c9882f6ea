// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// What is known of the weather, with how it is known.
public struct WeatherAnswer: Equatable, Hashable, Sendable {
  /// How good an answer is, the best first.
  public enum Quality: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// A provider said it just now, for here.
    case fresh
    /// A stored forecast, interpolated to now.
    case stored
    /// The board's own sensor, or instruments on a receiver's wire; none knows the sky.
    case sensor

    /// Orders from the best.
    public static func < (left: Quality, right: Quality) -> Bool { left.rawValue < right.rawValue }
  }

  /// Which quality it stands on.
  public let quality: Quality
  /// How the values came about: observed or forecast if fresh, interpolated if stored, sensor.
  public let kind: WeatherReport.Kind
  /// The values; what is not known is `nil`.
  public let weather: CurrentWeather
  /// Who said it: a provider, or the sensor's name.
  public let provider: String
  /// The attribution that the licence requires.
  public let attribution: String?
  /// Seconds since it was computed or measured, 0 or more.
  public let ageSeconds: Double
  /// Metres from the place that it was made for to here.
  public let distanceMeters: Double
  /// Whether it is the product of a simulation.
  public let isSimulated: Bool
  /// The receiver that carried the sensor's sentences, such as a devnode; `nil` for a provider and for
  /// the board's own sensor.
  public var receiver: String?
}

/// All that can be said at a moment.
public struct LadderAnswer: Equatable, Hashable, Sendable {
  /// What is known of the weather, the best quality first, each at most once; none rather than wrong.
  public let weather: [WeatherAnswer]
  /// Sun and moon: whenever time and place are known.
  public let almanac: Almanac?

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - weather: What is known of the weather, the best quality first.
  ///   - almanac: Sun and moon.
  public init(weather: [WeatherAnswer], almanac: Almanac?) {
    self.weather = weather
    self.almanac = almanac
  }

  /// The best of what is known of the weather; `nil` where nothing is.
  public var best: WeatherAnswer? { weather.first }
}
