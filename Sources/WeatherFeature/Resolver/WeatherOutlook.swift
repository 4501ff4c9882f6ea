// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The weather at a place as well as it is known, and why no more is known.
public struct WeatherOutlook: Equatable, Sendable {
  /// Where.
  public var coordinate: Coordinate
  /// When it was asked; `nil` on a board that does not know the time.
  public var time: UTCTime?
  /// The nearest place that has a name.
  public var place: Place?
  /// The weather now, as well as it is known, and the sun and the moon.
  public var resolver = LadderAnswer(weather: [], almanac: nil)
  /// How the pressure at the board has changed over three hours, in hectopascals, positive where
  /// it rises; `nil` unless the board has stood still and measured for as long.
  public var pressureTendencyHectopascals: Double?
  /// Today and the days after it, by the report that is told.
  public var days: [DayWeather] = []
  /// The report that all of it but the sensor's word comes from.
  public var report: WeatherReport?
  /// Why no provider's fresh answer is among it.
  public var failure: WeatherError?
  /// The same in a sentence.
  public var reason: String?

  /// Makes one in which nothing is said.
  ///
  /// - Parameter coordinate: Where.
  public init(coordinate: Coordinate) { self.coordinate = coordinate }
}

/// Tells the sinks of all that can be said of the weather where the board is, with a provider's
/// answer and without.
public struct OutlookEvent: PipelineEvent, Equatable {
  /// The outlook.
  public var outlook: WeatherOutlook

  /// Makes an event.
  public init(_ outlook: WeatherOutlook) { self.outlook = outlook }
}
