// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The answer of a weather lookup, by the name that the founding articles gave it.
public typealias WeatherResponse = WeatherReport

/// The weather at one place: now and the hours and days to come, with where it comes from and since when.
public struct WeatherReport: Equatable, Hashable, Codable, Sendable {
  /// How the values came about.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// Measured.
    case observed
    /// Computed by a weather model.
    case forecast
    /// Interpolated from a stored forecast.
    case interpolated
    /// Measured by the board itself.
    case sensor
  }

  /// The coordinate that was asked for, as coarse as it was sent.
  public var coordinate: Coordinate
  /// The weather now.
  public var now: CurrentWeather
  /// The hours to come, the earliest first; the provider's steps may be longer than an hour.
  public var hours: [HourWeather]
  /// Today and the days after it.
  public var days: [DayWeather]
  /// How the values for now came about; those for hours and days are always a forecast.
  public var kind: Kind
  /// Who answered, in one word: `openmeteo`.
  public var provider: String
  /// Whom the licence wants named, in words for people.
  public var attribution: String?
  /// The licence of the data, in words for people.
  public var licence: String?
  /// Where the licence or the terms are to be read.
  public var licenceURL: String?
  /// When the values for now were true, by the provider.
  public var validAt: UTCTime?
  /// When the provider computed or measured them, where it says so.
  public var issuedAt: UTCTime?
  /// Until when the provider has nothing newer, where it says so.
  public var expiresAt: UTCTime?
  /// When the answer arrived.
  ///
  /// Not stored: the clock that it is of does not outlive the boot.
  public var receivedAt: MonotonicTime?
  /// For how many seconds more whoever keeps it gives it in place of asking anew; `nil` where a
  /// provider has just been asked.
  ///
  /// Not stored: it is of the moment at which the report is told.
  public var standsSeconds: Double?
  /// For how many seconds it has been kept; `nil` where a provider has just been asked.
  ///
  /// Not stored: it is of the moment at which the report is told.
  public var keptSeconds: Double?
  /// Whether it is the product of a simulation.
  public var isSimulated: Bool

  private enum CodingKeys: String, CodingKey {
    case coordinate, now, hours, days, kind, provider, attribution, licence, licenceURL
    case validAt, issuedAt, expiresAt, isSimulated
  }

  /// Makes a report in which no value is known.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate that was asked for.
  ///   - provider: Who answered.
  ///   - kind: How the values came about.
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
