// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Positioning
public import WeatherClient

/// Open-Meteo's protocol: without a key, and with a base URL for whoever runs a server of their own.
///
/// The free service is for non-commercial use; its data is CC BY 4.0. What it answers is computed
/// by weather models, "current" included, so it counts as a forecast.
public struct OpenMeteo: Sendable {
  /// Where the free service is.
  public static let publicBaseURL = "https://api.open-meteo.com"

  /// The base URL, without the path.
  public let baseURL: String
  let http: WeatherHTTP

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL, without the path: `http://127.0.0.1:8080`.
  ///   - deadline: How long the whole of an answer may take.
  ///   - contact: A URL or address to reach whoever runs this board at; sent with each request.
  public init(
    baseURL: String = publicBaseURL, deadline: Duration = .seconds(15), contact: String? = nil
  ) {
    var http = WeatherHTTP()
    http.deadline = deadline
    // Whatever could end the header is not part of a contact.
    let safe = contact.map { $0.filter { $0.isASCII && $0 >= " " && $0 != "(" && $0 != ")" } }
    if let safe, !safe.isEmpty { http.userAgent += " (\(safe))" }
    self.init(baseURL: baseURL, http: http)
  }

  init(baseURL: String, http: WeatherHTTP) {
    var baseURL = baseURL[...]
    while baseURL.last == "/" { baseURL.removeLast() }
    self.baseURL = String(baseURL)
    self.http = http
  }

  static let currentFields = [
    "temperature_2m", "apparent_temperature", "relative_humidity_2m", "precipitation",
    "weather_code", "cloud_cover", "pressure_msl", "wind_speed_10m", "wind_direction_10m",
  ]
  static let dailyFields = [
    "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum", "sunrise",
    "sunset",
  ]

  /// The question, at a coordinate already rounded to the grid.
  func url(for coordinate: Coordinate) -> String {
    // Seven days and fifteen variables weigh 1.5 calls of the 10,000 a day.
    "\(baseURL)/v1/forecast?latitude=\(coordinate.latitudeDegrees.inHundredths)"
      + "&longitude=\(coordinate.longitudeDegrees.inHundredths)"
      + "&current=\(Self.currentFields.joined(separator: ","))"
      + "&daily=\(Self.dailyFields.joined(separator: ","))"
      + "&timeformat=unixtime&wind_speed_unit=ms&timezone=GMT&forecast_days=7"
  }

  /// Looks up the weather.
  ///
  /// - Parameter coordinate: Where; rounded to hundredths of a degree before it leaves.
  /// - Returns: The weather there, with the rounded coordinate.
  /// - Throws: Whatever kept the provider from a whole and right answer.
  public func weather(at coordinate: Coordinate) async throws(WeatherError) -> WeatherReport {
    let cell = coordinate.roundedToGrid
    let answer = try await http.get(url(for: cell))
    guard answer.status == 200 else { throw Self.refusal(answer) }
    return try Self.report(answer.body, at: cell)
  }

  static func report(
    _ body: [UInt8], at coordinate: Coordinate
  ) throws(WeatherError) -> WeatherReport {
    guard !body.isEmpty else { throw .malformed(field: "body", reason: "empty") }
    let reply: OpenMeteoReply
    do {
      reply = try JSONDecoder().decode(OpenMeteoReply.self, from: Data(body))
    } catch let error as DecodingError {
      throw error.asWeatherError
    } catch {
      throw .malformed(field: "body", reason: "not JSON")
    }
    if reply.error == true {
      throw .badStatus(code: 200, reason: reply.reason)
    }
    return try reply.report(at: coordinate)
  }

  private static func refusal(_ answer: WeatherHTTP.Answer) -> WeatherError {
    struct Refusal: Decodable { var reason: String? }
    let reason = (try? JSONDecoder().decode(Refusal.self, from: Data(answer.body)))?.reason
    guard answer.status == 429 else { return .badStatus(code: answer.status, reason: reason) }
    return .rateLimited(
      retryAfterSeconds: answer.retryAfterSeconds ?? reason.flatMap(wait), reason: reason)
  }

  /// Open-Meteo sends no `Retry-After`: the wait is in the text only.
  private static func wait(_ reason: String) -> Double? {
    if reason.hasSuffix("in one minute.") { return 60 }
    if reason.hasSuffix("in the next hour.") { return 3600 }
    if reason.hasSuffix("tomorrow.") { return 86_400 }
    return nil
  }
}

extension WeatherClient {
  /// A client that asks Open-Meteo, or a server that speaks its protocol.
  ///
  /// It knows no places: the protocol has no search by coordinate.
  ///
  /// - Parameter provider: Who is asked.
  /// - Returns: The client.
  public static func openMeteo(_ provider: OpenMeteo) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else {
          throw .unsupported("weather by place number")
        }
        return try await provider.weather(at: coordinate)
      })
  }
}
