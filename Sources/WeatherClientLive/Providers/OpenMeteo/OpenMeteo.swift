// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

/// Open-Meteo, and self-hosted servers with the same protocol.
///
/// The free service needs no key and is for non-commercial use. Customers have a key and another
/// host. All values, including `current`, are computed by weather models, so reports have the kind
/// `forecast`.
public struct OpenMeteo: WeatherProvider {
  /// The name in the configuration and in reports.
  public static let name = "openmeteo"
  /// A one-line description for users.
  public static let summary = "Open-Meteo: worldwide, no key, for non-commercial use"
  /// The attribution that the provider's licence requires.
  public static let attribution = WeatherAttribution(
    text: "Weather data by Open-Meteo.com, CC BY 4.0", licence: "CC BY 4.0",
    url: "https://open-meteo.com/en/licence")
  /// The base URL of the free service.
  public static let publicBaseURL: String? = "https://api.open-meteo.com"

  /// The base URL, the key, the contact and the grid.
  public let configuration: WeatherProviderConfiguration

  /// Creates a provider from a configuration, which needs neither a key nor a contact.
  public init(_ configuration: WeatherProviderConfiguration) {
    self.configuration = configuration
  }

  /// Creates a provider at a base URL.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL without a path, such as `http://127.0.0.1:8080`, or `nil` for the
  ///     free service.
  ///   - contact: The operator's URL or e-mail address, sent in `User-Agent` with each request.
  public init(baseURL: String? = nil, contact: String? = nil) {
    self.init(WeatherProviderConfiguration(baseURL: baseURL, contact: contact))
  }

  static let currentFields = [
    "temperature_2m", "apparent_temperature", "dew_point_2m", "relative_humidity_2m",
    "precipitation", "weather_code", "cloud_cover", "pressure_msl", "wind_speed_10m",
    "wind_gusts_10m", "wind_direction_10m", "visibility",
  ]
  static let hourlyFields = currentFields + ["precipitation_probability"]
  static let dailyFields = [
    "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
    "precipitation_probability_max", "wind_speed_10m_max", "sunrise", "sunset",
  ]

  /// Returns the only request of a lookup.
  ///
  /// The free service counts one tenth of a call for each variable. The request therefore counts as
  /// 3.3 of the 10,000 calls per day.
  public func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard replies.isEmpty else { return nil }
    var request = WeatherRequest(
      path: "/v1/forecast",
      parameters: [
        "latitude": cell.latitudeText, "longitude": cell.longitudeText,
        "current": Self.currentFields.joined(separator: ","),
        "hourly": Self.hourlyFields.joined(separator: ","),
        "daily": Self.dailyFields.joined(separator: ","),
        // By default, replies contain local times without an offset.
        "timeformat": "unixtime", "wind_speed_unit": "ms", "timezone": "auto",
        "forecast_days": "7",
      ])
    if let key = configuration.key { request.parameters.append(.init(name: "apikey", value: key)) }
    return request
  }

  /// Decodes the reply.
  public func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(OpenMeteoReply.self)
    if form.error == true { throw .badStatus(code: reply.status, reason: reply.reason) }
    return try form.fill(blankReport(for: cell))
  }

  /// Returns the error for an unsuccessful reply, with the delay from its error message.
  public func refusal(_ reply: WeatherReply) -> WeatherError {
    guard case .rateLimited(nil, let reason?) = reply.standardRefusal else {
      return reply.standardRefusal
    }
    let seconds = Self.waitSeconds(reason, serverTime: reply.serverTime)
    return .rateLimited(retryAfterSeconds: seconds, reason: reason)
  }

  /// Returns the seconds until the exceeded limit is reset, or `nil` if the text contains no limit.
  ///
  /// Open-Meteo sends no `Retry-After`. The limits are reset at the start of each minute, hour and
  /// day in UTC.
  private static func waitSeconds(_ reason: String, serverTime: UTCTime?) -> Double? {
    let periods: [(String, Int64)] = [
      ("one minute", 60), ("next hour", 3600), ("tomorrow", 86_400),
    ]
    guard let period = periods.first(where: { reason.contains($0.0) })?.1 else { return nil }
    guard let second = serverTime?.secondsSince1970, second > 0 else { return Double(period) }
    return Double(period - second % period)
  }
}
