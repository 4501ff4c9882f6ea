// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Open-Meteo with a loopback server", .timeLimit(.minutes(5)))
struct OpenMeteoTests {
  static let good = """
    {"latitude":51.5,"longitude":-0.12,"utc_offset_seconds":0,
    "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
    "current":{"time":1795246200,"interval":900,"temperature_2m":11.4,"relative_humidity_2m":81,
    "apparent_temperature":9.8,"precipitation":0.2,"weather_code":61,"cloud_cover":75,
    "pressure_msl":1012.3,"wind_speed_10m":5.1,"wind_direction_10m":240},
    "hourly_units":{"temperature_2m":"°C","wind_gusts_10m":"m/s","precipitation":"mm"},
    "hourly":{"time":[1795244400,1795248000,1795251600],"temperature_2m":[11.1,11.6,null],
    "precipitation":[0.1,0.4,0.8],"precipitation_probability":[10,20,30],
    "wind_gusts_10m":[7,8,9]},
    "daily":{"time":[1795219200,1795305600],"weather_code":[63,null],
    "temperature_2m_max":[12.0,10.5],"temperature_2m_min":[6.1,null],
    "precipitation_sum":[4.2,0],"sunrise":[1795246080,1795332580],"sunset":[1795277040]}}
    """

  private func outcome(
    _ script: LoopbackServer.Script, deadline: Duration = Exchange.longDeadline
  ) async -> Result<WeatherReport, WeatherError> {
    let server = LoopbackServer { _ in script }
    defer { server.stop() }
    let client = WeatherClient.openMeteo(
      OpenMeteo(baseURL: server.baseURL), lookup: Exchange.lookup(deadline))
    do throws(WeatherError) {
      return .success(try await client.weather(.coordinate(.near(51.5074, -0.1278))))
    } catch {
      return .failure(error)
    }
  }

  private func error(
    _ script: LoopbackServer.Script, deadline: Duration = Exchange.longDeadline
  ) async -> WeatherError? {
    if case .failure(let error) = await outcome(script, deadline: deadline) { error } else { nil }
  }

  @Test func `a valid reply of Open-Meteo is decoded, and the request has rounded coordinates`() async throws {
    let server = LoopbackServer { _ in .answer(Self.good) }
    defer { server.stop() }
    let client = WeatherClient.openMeteo(
      OpenMeteo(baseURL: server.baseURL + "/", contact: "me@example.org\r\nX: y"),
      lookup: Exchange.lookup())
    let report = try await client.weather(.coordinate(.near(51.507351, -0.127758)))
    #expect(report.coordinate == .at(51.51, -0.13))
    #expect(report.kind == .forecast && report.provider == "openmeteo" && !report.isSimulated)
    #expect(report.validAt == UTCTime(secondsSince1970: 1_795_246_200))
    #expect(report.now.temperatureDegreesCelsius == 11.4)
    #expect(report.now.pressureSeaLevelHectopascals == 1012.3)
    #expect(report.now.windSpeedMetersPerSecond == 5.1)
    #expect(report.now.windDirectionDegreesTrue == 240)
    #expect(report.now.condition == .lightRain)
    #expect(report.days.map(\.date) == [.init(daysSince1970: 20778), .init(daysSince1970: 20779)])
    #expect(report.days.map(\.condition) == [.rain, nil])
    #expect(report.days.map(\.lowestTemperatureDegreesCelsius) == [6.1, nil])
    #expect(report.days.map(\.sunset) == [UTCTime(secondsSince1970: 1_795_277_040), nil])
    #expect(
      report.hours.map(\.time.secondsSince1970) == [1_795_244_400, 1_795_248_000, 1_795_251_600])
    #expect(report.hours.map(\.weather.temperatureDegreesCelsius) == [11.1, 11.6, nil])
    // Open-Meteo sends precipitation and gusts for the hour before the given time.
    #expect(report.hours.map(\.weather.precipitationMillimeters) == [0.4, 0.8, nil])
    #expect(report.hours.map(\.weather.windGustMetersPerSecond) == [8, 9, nil])
    #expect(report.hours.map(\.precipitationProbabilityPercent) == [20, 30, nil])
    #expect(report.licence == "CC BY 4.0" && report.licenceURL?.hasPrefix("https://") == true)
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("GET /v1/forecast?latitude=51.51&longitude=-0.13&current="))
    #expect(request.contains("timeformat=unixtime&wind_speed_unit=ms&timezone=auto"))
    #expect(request.contains("fixcast/\(ProgramVersion.text) (me@example.orgX: y)\r\n"))
    #expect(!request.contains("51.507"))
  }

  @Test func `an Open-Meteo reply compressed with gzip is decoded`() async throws {
    // {"current":{"temperature_2m":7.5}}, compressed by gzip(1).
    let packed: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 46, 45, 42, 74, 205, 43, 81, 178, 170, 86, 42,
      73, 205, 45, 72, 45, 74, 44, 41, 45, 74, 141, 55, 202, 85, 178, 50, 215, 51, 173, 173, 5, 0,
      141, 11, 208, 232, 34, 0, 0, 0,
    ]
    let result = await outcome(.answer(headers: ["Content-Encoding: gzip"], bytes: packed))
    #expect(try result.get().now.temperatureDegreesCelsius == 7.5)
  }

  @Test func `an Open-Meteo error reply results in badStatus with the provider's reason`() async {
    #expect(
      await error(
        .answer(status: "400 Bad Request", #"{"error":true,"reason":"Latitude must be …"}"#))
        == .badStatus(code: 400, reason: "Latitude must be …"))
    #expect(
      await error(.answer(status: "500 Oops", "<html>no</html>"))
        == .badStatus(code: 500, reason: nil))
  }

  @Test(
    arguments: [
      ([], "Minutely API request limit exceeded. Please try again in one minute.", 60),
      ([], "Hourly API request limit exceeded. Please try again in the next hour.", 3600),
      ([], "Daily API request limit exceeded. Please try again tomorrow.", 86_400),
      ([], "Too many concurrent requests", nil),
      (["Retry-After: 17"], "Please try again tomorrow.", 17),
      // The limits are reset according to the server's clock.
      (
        ["Date: Mon, 20 Jul 2020 11:52:28 GMT"],
        "Hourly API request limit exceeded. Please try again in the next hour.", 452
      ),
      (
        ["Date: Mon, 20 Jul 2020 11:52:28 GMT"],
        "Daily API request limit exceeded. Please try again tomorrow.", 43_652
      ),
      (
        ["Date: Mon, 20 Jul 2020 11:52:28 GMT", "Retry-After: Mon, 20 Jul 2020 11:53:00 GMT"],
        "Please try again tomorrow.", 32
      ),
      (["Retry-After: -1"], "Too many concurrent requests", nil),
    ] as [([String], String, Double?)])
  func `the retry delay of Open-Meteo is taken from Retry-After, otherwise from the error message`(
    headers: [String], reason: String, seconds: Double?
  ) async {
    let script = LoopbackServer.Script.answer(
      status: "429 Too Many Requests", headers: headers, #"{"error":true,"reason":"\#(reason)"}"#)
    #expect(
      await error(script) == .rateLimited(retryAfterSeconds: seconds, reason: reason))
  }

  @Test(arguments: [
    ("", "body"), ("<html></html>", "body"), ("{\"current\":", "reply"), ("[]", "reply"),
    ("{}", "reply"), ("{\"current\":{\"temperature_2m\":\"warm\"}}", "current.temperature_2m"),
    ("{\"daily\":{\"time\":7}}", "daily.time"),
    (
      "{\"current\":{\"temperature_2m\":1},\"current_units\":{\"temperature_2m\":\"°R\"}}",
      "current_units.temperature_2m"
    ),
  ])
  func `a malformed Open-Meteo reply results in an error with the name of the invalid field`(
    body: String, field: String
  ) async {
    guard case .malformed(let invalidField, _) = await error(.answer(body)) else {
      Issue.record("no malformed error for \(body)")
      return
    }
    #expect(invalidField == field)
  }

  @Test(arguments: [
    (#"{"current":{"temperature_2m":1"#, "ends early, after 30 bytes"),
    (#"{"current":{"note":"\"}}"#, "ends early, after 24 bytes"),
    ("[", "ends early, after 1 bytes"),
    (
      #"{"current":{"temperature_2m":nan}}"#,
      "is damaged, or contains a value that is not JSON, such as nan"
    ),
    (#"{"current":}"#, "is damaged, or contains a value that is not JSON, such as nan"),
  ])
  func `a damaged JSON reply is reported as incomplete or invalid, and not as a page of a portal`(
    body: String, reason: String
  ) async {
    #expect(await error(.answer(body)) == .malformed(field: "reply", reason: reason))
  }

  @Test func `null and missing values in an Open-Meteo reply are decoded as nil`() async throws {
    let body = """
      {"current":{"time":null,"temperature_2m":null,"weather_code":null,"wind_speed_10m":3},
      "current_units":{"wind_speed_10m":null},
      "daily":{"time":[null,86400],"weather_code":null,"temperature_2m_max":[1]}}
      """
    let report = try await outcome(.answer(body)).get()
    #expect(report.now.temperatureDegreesCelsius == nil && report.now.condition == nil)
    #expect(report.now.windSpeedMetersPerSecond == 3)
    #expect(report.days.map(\.date) == [UTCDate(daysSince1970: 1)])
  }

  @Test func `a report of a server that simulates weather is marked as simulated, without attribution`() async throws {
    let report = try await outcome(.answer(#"{"simulated":true,"current":{"cloud_cover":1}}"#))
      .get()
    #expect(report.isSimulated && report.attribution == nil)
  }

  @Test func `a truncated Open-Meteo reply results in a network error`() async {
    let script = LoopbackServer.Script.answer(
      bytes: Array(Self.good.utf8), contentLength: 100_000)
    guard case .network = await error(script) else { Issue.record("no network error"); return }
  }

  @Test func `an Open-Meteo reply of 50 MB is cancelled at the size limit`() async {
    var script = LoopbackServer.Script.answer(
      bytes: [UInt8](repeating: 0x20, count: 65_536), contentLength: 50 << 20)
    script.repeatsLast = 800
    #expect(await error(script) == .tooLarge(limitBytes: WeatherHTTP.maximumBytes))
  }

  @Test func `a lookup at a server that sends single bytes ends at the deadline`() async {
    // The body would take half an hour, so the lookup ends at the deadline.
    var script = LoopbackServer.Script.answer(bytes: [0x20], contentLength: 1_000_000)
    script.repeatsLast = 100_000
    script.pauseMicroseconds = 20_000
    #expect(
      await error(script, deadline: .milliseconds(300)) == .timedOut(afterSeconds: 0.3))
  }

  @Test func `a refused connection to Open-Meteo results in a network error`() async {
    let server = LoopbackServer { _ in .answer("") }
    let url = server.baseURL
    server.stop()
    await #expect {
      try await WeatherClient.openMeteo(OpenMeteo(baseURL: url)).weather(
        .coordinate(.near(1, 2)))
    } throws: { error in
      if case .network = error as? WeatherError { true } else { false }
    }
  }

  @Test func `a redirect loop ends after at most four requests`() async {
    let server = LoopbackServer { port in
      .answer(status: "302 Found", headers: ["Location: http://127.0.0.1:\(port)/v1/forecast"], "")
    }
    defer { server.stop() }
    let url = server.baseURL
    await #expect {
      try await WeatherClient.openMeteo(OpenMeteo(baseURL: url)).weather(
        .coordinate(.near(1, 2)))
    } throws: { error in
      if case .network = error as? WeatherError { true } else { false }
    }
    #expect(server.requests.count <= 4)
  }

  @Test(arguments: ["", "nonsense", "http://"])
  func `an invalid base URL of Open-Meteo results in an error`(url: String) async {
    await #expect {
      try await WeatherClient.openMeteo(OpenMeteo(baseURL: url)).weather(
        .coordinate(.near(1, 2)))
    } throws: { error in
      switch error as? WeatherError {
      case .misconfigured, .network: true
      default: false
      }
    }
  }
}
