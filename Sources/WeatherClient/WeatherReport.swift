// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The name of ``WeatherReport`` in the Point-Free episodes "Designing Dependencies".
public typealias WeatherResponse = WeatherReport

/// The result of a weather lookup: current weather and forecast, with their source and times.
public struct WeatherReport: Equatable, Hashable, Codable, Sendable {
  /// The origin of the values.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// Measured.
    case observed
    /// Computed by a weather model.
    case forecast
    /// Interpolated from a stored forecast.
    case interpolated
    /// Measured by a sensor of the board.
    case sensor
  }

  /// The coordinate that was sent to the provider.
  public var coordinate: Coordinate
  /// The current weather.
  public var now: CurrentWeather
  /// The hourly forecast, the earliest first.
  ///
  /// Steps may be longer than an hour.
  public var hours: [HourWeather]
  /// The daily forecast, today first.
  public var days: [DayWeather]
  /// The origin of the current values.
  ///
  /// `hours` and `days` always contain forecasts.
  public var kind: Kind
  /// The name of the provider: a single word such as `openmeteo`.
  public var provider: String
  /// The program that looked up the report for this board: `fleet` for the consumer of a fleet, or
  /// `nil` if the board did so itself.
  public var via: String?
  /// The attribution that the licence requires, for display.
  public var attribution: String?
  /// The name of the licence, for display.
  public var licence: String?
  /// The URL of the licence or terms.
  public var licenceURL: String?
  /// The time for which the current values are valid, as sent by the provider; `nil` if unknown.
  public var validAt: UTCTime?
  /// The time at which the provider computed or measured the values; `nil` if unknown.
  public var issuedAt: UTCTime?
  /// The time before which the provider has no newer report; `nil` if unknown.
  public var expiresAt: UTCTime?
  /// The time at which the report arrived.
  ///
  /// The value is not encoded, since the monotonic clock restarts with each boot.
  public var receivedAt: MonotonicTime?
  /// The remaining lifetime of the cached report in seconds, or `nil` if the report comes directly
  /// from a provider.
  ///
  /// The cached report is used instead of a new lookup during this time, which begins when the
  /// report is read from the cache. The value is not encoded.
  public var freshForSeconds: Double?
  /// The age of the cached report in seconds, or `nil` if the report comes directly from a
  /// provider.
  ///
  /// The value is the age when the report was read from the cache. The value is not encoded.
  public var cachedForSeconds: Double?
  /// Whether the report is simulated.
  public var isSimulated: Bool

  private enum CodingKeys: String, CodingKey {
    case coordinate, now, hours, days, kind, provider, via, attribution, licence, licenceURL
    case validAt, issuedAt, expiresAt, isSimulated
  }

  /// Creates a report without values.
  public init(coordinate: Coordinate, provider: String, kind: Kind) {
    self.coordinate = coordinate
    self.provider = provider
    self.kind = kind
    now = CurrentWeather()
    hours = []
    days = []
    isSimulated = false
  }

  /// Returns the days that have not ended at the coordinate.
  package func forecastDays(at time: UTCTime) -> [DayWeather] {
    days.filter { !$0.hasEnded(at: time, coordinate) }
  }
}
