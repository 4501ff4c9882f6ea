// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The result of a weather lookup, under the name that the founding articles use.
public typealias WeatherResponse = WeatherReport

/// The weather at one place: current weather, hours and days, with its source and times.
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
  /// Hours and days are always a forecast.
  public var kind: Kind
  /// The name of the provider, one word, such as `openmeteo`.
  public var provider: String
  /// The attribution that the licence requires, for display.
  public var attribution: String?
  /// The name of the licence, for display.
  public var licence: String?
  /// The URL of the licence or terms.
  public var licenceURL: String?
  /// The time for which the current values are valid, by the provider; `nil` if unknown.
  public var validAt: UTCTime?
  /// The time at which the provider computed or measured the values; `nil` if unknown.
  public var issuedAt: UTCTime?
  /// The time until which the provider will have no newer report; `nil` if unknown.
  public var expiresAt: UTCTime?
  /// The time at which the report arrived.
  ///
  /// Not encoded, since the clock restarts with each boot.
  public var receivedAt: MonotonicTime?
  /// The number of seconds for which the report stays in the cache and replaces a new lookup, or
  /// `nil` if the report comes directly from a provider.
  ///
  /// Not encoded. The value is for the time at which the report was read from the cache.
  public var freshForSeconds: Double?
  /// The age of the cached report in seconds, or `nil` if the report comes directly from a
  /// provider.
  ///
  /// Not encoded. The value is for the time at which the report was read from the cache.
  public var cachedForSeconds: Double?
  /// Whether the report is simulated.
  public var isSimulated: Bool

  private enum CodingKeys: String, CodingKey {
    case coordinate, now, hours, days, kind, provider, attribution, licence, licenceURL
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
}
