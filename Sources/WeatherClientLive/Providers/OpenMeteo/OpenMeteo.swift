// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

/// Open-Meteo's protocol, without a key; a base URL names a server of one's own.
///
/// The free service is for non-commercial use; customers have a key and a host of their own. What
/// it answers is computed by weather models, "current" included, so it counts as a forecast.
public struct OpenMeteo: WeatherProvider {
  /// The name that it is configured and reported by.
  public static let name = "openmeteo"
  /// A description in a sentence.
  public static let summary = "Open-Meteo: worldwide, no key, for non-commercial use"
  /// The attribution that the provider's licence requires.
  public static let attribution = WeatherAttribution(
    text: "Weather data by Open-Meteo.com, CC BY 4.0", licence: "CC BY 4.0",
    url: "https://open-meteo.com/en/licence")
  /// Where the public service is.
  public static let publicBaseURL: String? = "https://api.open-meteo.com"

  /// The base URL, the key and the contact.
  public let configuration: WeatherProviderConfiguration

  /// Makes a provider; nothing is needed.
  ///
  /// - Parameter configuration: A base URL for a server of one's own; a key for customers.
  public init(_ configuration: WeatherProviderConfiguration) {
    self.configuration = configuration
  }

  /// Makes a provider at a base URL.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL, without the path: `http://127.0.0.1:8080`; `nil` for the free
  ///     service.
  ///   - contact: A URL or address to reach whoever runs this board at; sent with each request.
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

  /// One question, which weighs 3.3 of the free service's 10,000 a day: a call's weight is a tenth
  /// of its variables.
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
        // Wall clocks without an offset are what it answers otherwise.
        "timeformat": "unixtime", "wind_speed_unit": "ms", "timezone": "GMT",
        "forecast_days": "7",
      ])
    if let key = configuration.key { request.parameters.append(.init(name: "apikey", value: key)) }
    return request
  }

  /// The report that the replies make.
  public func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(OpenMeteoReply.self)
    if form.error == true { throw .badStatus(code: reply.status, reason: reply.reason) }
    return try form.fill(blankReport(for: cell))
  }

  /// The error that an unsuccessful reply stands for.
  public func refusal(_ reply: WeatherReply) -> WeatherError {
    guard case .rateLimited(nil, let reason?) = reply.standardRefusal else {
      return reply.standardRefusal
    }
    let seconds = Self.waitSeconds(reason, serverTime: reply.serverTime)
    return .rateLimited(retryAfterSeconds: seconds, reason: reason)
  }

  /// Open-Meteo sends no `Retry-After`: the wait is in the text only.
  ///
  /// Its counters begin anew with the minute, the hour and the day of UTC.
  private static func waitSeconds(_ reason: String, serverTime: UTCTime?) -> Double? {
    let periods: [(String, Int64)] = [
      ("one minute", 60), ("next hour", 3600), ("tomorrow", 86_400),
    ]
    guard let period = periods.first(where: { reason.contains($0.0) })?.1 else { return nil }
    guard let second = serverTime?.secondsSince1970, second > 0 else { return Double(period) }
    return Double(period - second % period)
  }
}
