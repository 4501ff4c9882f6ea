// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The weather at a coordinate from all available sources, and the error of the last lookup.
public struct WeatherOutlook: Equatable, Sendable {
  /// The coordinate of the outlook.
  public var coordinate: Coordinate
  /// The time of the outlook, or `nil` if the current time is unknown.
  public var time: UTCTime?
  /// The place of the coordinate.
  public var place: Place?
  /// The result of ``WeatherResolver``: the current weather, and sun and moon.
  public var resolved = ResolvedWeather(weather: [], almanac: nil)
  /// The change of the air pressure over three hours in hectopascals, positive if the pressure
  /// rises; `nil` unless the board has been stationary and has measured for three hours.
  public var pressureTendencyHectopascals: Double?
  /// The daily forecast of ``report``, today first.
  public var days: [DayWeather] = []
  /// The report from which all values except sensor values are taken.
  public var report: WeatherReport?
  /// The error of the last lookup, or `nil` if the last lookup did not fail.
  public var failure: WeatherError?
  /// The reason why no fresh report is available, as a sentence for display.
  public var reason: String?

  /// Creates an outlook without values.
  public init(coordinate: Coordinate) { self.coordinate = coordinate }
}

/// An event with the weather at the location of the board.
public struct OutlookEvent: PipelineEvent, Equatable {
  /// The outlook.
  public var outlook: WeatherOutlook

  /// Creates an event.
  public init(_ outlook: WeatherOutlook) { self.outlook = outlook }
}
