// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The weather at a coordinate from all available sources, and the error if no fresh report is
/// available.
public struct WeatherOutlook: Equatable, Sendable {
  /// The coordinate of the outlook.
  public var coordinate: Coordinate
  /// The time of the outlook, or `nil` if the board does not know the time.
  public var time: UTCTime?
  /// The place of the coordinate.
  public var place: Place?
  /// The result of ``WeatherResolver``: the current weather, and sun and moon.
  public var resolved = ResolvedWeather(weather: [], almanac: nil)
  /// The change of the air pressure over three hours in hectopascals, positive if it rises; `nil`
  /// unless the board was stationary and measured for three hours.
  public var pressureTendencyHectopascals: Double?
  /// The daily forecast of ``report``, today first.
  public var days: [DayWeather] = []
  /// The report that all values except those of sensors come from.
  public var report: WeatherReport?
  /// The error of the last lookup, or `nil` if none exists.
  public var failure: WeatherError?
  /// The reason why no fresh report is available, as a sentence for display.
  public var reason: String?

  /// Creates an outlook without values.
  public init(coordinate: Coordinate) { self.coordinate = coordinate }
}

/// An event with the weather at the location of the board, with or without a report of a provider.
public struct OutlookEvent: PipelineEvent, Equatable {
  /// The outlook.
  public var outlook: WeatherOutlook

  /// Creates an event.
  public init(_ outlook: WeatherOutlook) { self.outlook = outlook }
}
