// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The `fixcast weather` command, with a provider in another network namespace.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherCommandTests {
  /// Returns Open-Meteo's reply for a time `hoursAhead` hours from now.
  ///
  /// The temperature is 0 degrees at first and rises by half a degree per hour.
  static func reply(hoursAhead: Int = 0) -> String {
    let hour = (Int(Date().timeIntervalSince1970) / 3600 + hoursAhead) * 3600
    let hours = (0..<100).map { hour + 3600 * $0 }
    func column(_ value: (Int) -> String) -> String {
      "[" + hours.indices.map(value).joined(separator: ",") + "]"
    }
    return """
      {"latitude":54,"longitude":10,"utc_offset_seconds":0,
      "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
      "current":{"time":\(hour),"interval":900,"temperature_2m":0.25,"weather_code":61},
      "hourly_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
      "hourly":{"time":\(column { "\(hours[$0])" }),
      "temperature_2m":\(column { "\(Double($0) / 2)" })}}
      """
  }

  private struct Weather: Decodable {
    struct Place: Decodable { var title: String }
    var `class`: String
    var place: Place
    var kind: String?
    var provider: String?
    var age: Double?
    var stale: Bool?
    var temperature: Double?
    var sunrise: String?
    var moon: String?
  }

  private static func weather(_ lines: [String]) throws -> Weather {
    let line = try #require(lines.first { $0.contains(#""class":"WEATHER""#) })
    return try JSONDecoder().decode(Weather.self, from: Data(line.utf8))
  }

  @Test func `weather prints a provider's report with attribution, and makes one request per cell`() async throws {
    let board = try WeatherFixture()
    let server = try board.serve()
    let words = ["weather", "54.321987,10.135", "--weather-url", "http://203.0.113.10"]
    let (lines, code) = try await board.run(words)
    #expect(code == 0)
    #expect(lines.first?.hasPrefix("Kiel, DE  (54.32,10.14)") == true)
    #expect(lines.contains("  Temperature    0.3 °C"))
    #expect(lines.contains { $0.hasPrefix("  Source         forecast by openmeteo, ") })
    #expect(lines.last == "Weather data by Open-Meteo.com, CC BY 4.0")

    let again = try await board.run(words + ["--json"])
    let weather = try Self.weather(again.lines)
    #expect(again.code == 0 && weather.kind == "forecast" && weather.stale == false)
    #expect(weather.place.title == "Kiel" && weather.moon != nil)
    #expect(server.requests.events.count == 1)
    #expect(server.requests.events.first?.contains("latitude=54.32&longitude=10.14&") == true)
  }

  @Test func `two places that a person types are looked up within a minute`() async throws {
    let board = try WeatherFixture()
    let server = try board.serve()
    for place in ["Hamburg", "Kiel, Germany"] {
      let (lines, code) = try await board.run(["weather", place, "--weather-url", "http://203.0.113.10"])
      #expect(code == 0 && lines.contains("  Temperature    0.3 °C"), "\(lines)")
    }
    #expect(server.requests.events.count == 2)
  }

  @Test func `without a network, weather prints a stored forecast after a day but not after three days`() async throws {
    let board = try WeatherFixture()
    let words = ["weather", "54.001234,9.998643", "--json", "--weather-url", "http://203.0.113.10"]
    let server = try board.serve()
    #expect(try await board.run(words).code == 0)
    server.stop()
    board.network.removeRoute()

    var age = 0.0
    // Each run is a new process, so the report comes from the store.
    for hours in [2, 3, 9, 23] {
      let (lines, code) = try await board.run(words, hoursAhead: hours)
      let weather = try Self.weather(lines)
      #expect(code == 0, "after \(hours) h")
      #expect(weather.kind == "interpolated" && weather.stale == true)
      #expect(try #require(weather.age) > age)
      age = try #require(weather.age)
      #expect(abs(age - Double(hours) * 3600) < 3700)
      let temperature = try #require(weather.temperature)
      // A new hour may have begun since the reply was created.
      #expect(temperature >= Double(hours) / 2 && temperature <= Double(hours + 1) / 2 + 0.1)
      #expect(
        lines.contains {
          $0.hasPrefix("fixcast: no newer report: openmeteo (203.0.113.10): weather")
        })
    }

    let (lines, code) = try await board.run(words, hoursAhead: 80)
    let weather = try Self.weather(lines)
    #expect(code == 69)
    #expect(weather.kind == nil && weather.temperature == nil && weather.moon != nil)
    #expect(server.requests.events.count == 1)

    board.network.addRoute()
    let back = try board.serve(Self.reply(hoursAhead: 82))
    for _ in 0..<2 {
      let (lines, code) = try await board.run(words, hoursAhead: 82)
      #expect(code == 0)
      #expect(try Self.weather(lines).kind == "forecast")
    }
    #expect(back.requests.events.count == 1)
  }

  @Test(arguments: [
    (["weather", "51.0,0.0", "--provider", "metnorway"], 78, "give one with --contact"),
    (["weather", "51.0,0.0", "--provider", "pirateweather"], 78, "give one with --key-file"),
    (["weather", "51.0,0.0", "--provider", "none"], 64, "there are openmeteo, metnorway, "),
    (["weather", "91.0,0.0"], 64, "if it is the longitude, type 0.0,91.0"),
    (["weather", "51"], 64, "51 is not a coordinate; type one such as 54.32,10.13 or "),
    (["weather", "51.0,0.0", "--key-file", "/none"], 66, "/none: No such file or directory"),
    (["weather", "51.0,0.0", "--weather-url", "ftp://a"], 64, "http:// or https://"),
    (["weather", "51.0,0.0", "--grid-decimals", "3"], 64, "takes 0 to 2, not 3"),
    (["weather", "0x10,0"], 64, "0x10,0: no such town in the gazetteer; type a coordinate"),
    (["weather", "1e1,0"], 64, "1e1,0 is not a coordinate"),
    (["weather", "nan,inf"], 64, "nan,inf: no such town"),
    (["weather", "51.0,0.0", "--grid-decimals=-1"], 64, "takes 0 to 2, not -1"),
    (["weather", "51.0,0.0", "--daily-limit", "many"], 64, "takes 0 to 100000 requests, not many"),
    (["weather", "51.0,0.0", "--daily-limit", "nws=3"], 64, "add --provider nws"),
    (["weather", "51.0,0.0", "--daily-limit", "0"], 78, "openmeteo has a daily limit of 0 requests"),
    (["weather", "51.0,0.0", "--key-file", "nowhere=/k"], 64, "nowhere is not a provider"),
    (["weather", "51.0,0.0", "--weather-url", "http://a/x#y"], 64, "--weather-url has a fragment"),
    (["weather", "51.0,0.0", "--weather-url", "http://a?y=1"], 64, "--weather-url has a query"),
    (["weather", "51.0,0.0", "--weather-url", "http://u:p@a"], 64, "--weather-url has user info"),
    (["weather", "51.0,0.0", "--key-file", "/a", "--key-file", "/b"], 64, "more than once"),
    (["weather", "51.0,0.0", "--key-file", ""], 64, "the value is empty"),
    (
      [
        "weather", "51.0,0.0", "--provider", "openmeteo", "--provider", "nws", "--key-file", "/k",
      ],
      64,
      "name the provider (openmeteo, nws), such as --key-file openmeteo=/k; see: fixcast weather --help"
    ),
    (
      [
        "weather", "51.0,0.0", "--provider", "openmeteo", "--provider", "pirateweather",
        "--key-file", "openmeteo=/none",
      ], 66, "/none: No such file or directory"
    ),
    (
      [
        "weather", "51.0,0.0", "--weather-url", "openmeteo=http://127.0.0.1:9", "--weather-url",
        "openmeteo=http://127.0.0.1:8",
      ], 64, "more than once for openmeteo"
    ),
    (["weather", "--source", "replay:/none", "--timeout", "5"], 66, "/none"),
  ])
  func `weather reports an invalid argument or setting in one line with a hint`(
    _ words: [String], _ code: Int32, _ advice: String
  ) async throws {
    let board = try WeatherFixture(connected: false)
    let (lines, exit) = try await board.run(words)
    #expect(exit == code)
    #expect(lines.contains { $0.contains(advice) }, "\(lines)")
  }

  @Test func `weather reports a missing route, and sends a request at once after the route returns`() async throws {
    let board = try WeatherFixture()
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    let server = try board.serve()
    board.network.removeRoute()
    let (lines, code) = try await board.run(words)
    #expect(code == 69)
    #expect(
      lines.last?.hasPrefix("fixcast: openmeteo (203.0.113.10): weather provider not reached: no network path")
        == true, "\(lines)")
    #expect(lines.last?.hasSuffix("; see: fixcast doctor") == true, "\(lines)")
    board.network.addRoute()
    #expect(try await board.run(words).code == 0)
    #expect(server.requests.events.count == 1)
  }

  @Test func `weather prints a valid stored report without an error about the missing route`() async throws {
    let board = try WeatherFixture()
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    let server = try board.serve()
    #expect(try await board.run(words).code == 0)
    board.network.removeRoute()
    let (lines, code) = try await board.run(words)
    #expect(code == 0)
    #expect(lines.contains("  Temperature    0.3 °C"))
    #expect(!lines.contains { $0.hasPrefix("fixcast:") }, "\(lines)")
    #expect(server.requests.events.count == 1)
  }

  @Test func `weather requests go through the proxy that the environment sets`() async throws {
    let board = try WeatherFixture(environment: ["http_proxy": "http://198.51.100.1:8899"])
    board.network.removeRoute()
    let proxy = try board.serve(port: 8899)
    let words = ["weather", "54.0,10.0", "--weather-url", "http://192.0.2.9"]
    let (lines, code) = try await board.run(words)
    #expect(code == 0, "\(lines)")
    #expect(lines.contains("  Temperature    0.3 °C"))
    #expect(proxy.requests.events.count == 1)
    #expect(proxy.requests.events.first?.hasPrefix("GET http://192.0.2.9/v1/forecast") == true)

    board.network.board.ip("link set wan0 down")
    let out = try await board.run(["weather", "60.0,10.0"] + words.dropFirst(2))
    #expect(out.code == 69)
    #expect(out.lines.last?.contains("no network path to the proxy 198.51.100.1: ") == true, "\(out.lines)")
    #expect(proxy.requests.events.count == 1)
  }

  @Test func `weather rejects a report for another time with an error about the board's clock`() async throws {
    let board = try WeatherFixture()
    let server = try board.serve(Self.reply(hoursAhead: 48))
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    // The second run uses the stored report and fails in the same way.
    for _ in 0..<2 {
      let (lines, code) = try await board.run(words)
      #expect(code == 69, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("  Weather        unknown") })
      #expect(
        lines.last?.contains(#/^fixcast: the clock is 4[78]\.\d h behind openmeteo's report: set/#)
          == true, "\(lines)")
    }
    #expect(server.requests.events.count == 1)
  }

  @Test func `each of several weather providers gets its own URL and key, and the rounded coordinate`() async throws {
    let board = try WeatherFixture()
    try board.folder.write("key", "secret\n")
    let first = try board.serve(port: 81, status: "500 Oops")
    let second = try board.serve(port: 82, status: "500 Oops")
    let (lines, code) = try await board.run(
      [
        "weather", "54.321987,10.135", "--grid-decimals", "1", "--json",
        "--provider", "openmeteo", "--provider", "pirateweather",
        "--weather-url", "pirateweather=http://203.0.113.10:82",
        "--weather-url", "openmeteo=http://203.0.113.10:81",
        "--key-file", "pirateweather=\(board.folder.path)/key",
      ])
    #expect(code == 69, "\(lines)")
    #expect(
      lines.contains {
        $0.contains(#""reason":"pirateweather (203.0.113.10:82): weather provider answered 500""#)
      })
    #expect(lines.last == "fixcast: pirateweather (203.0.113.10:82): weather provider answered 500")
    #expect(first.requests.events.count == 1 && second.requests.events.count == 1)
    #expect(first.requests.events.first?.contains("latitude=54.3&longitude=10.1&") == true)
    #expect(first.requests.events.first?.contains("secret") == false)
    #expect(second.requests.events.first?.contains("/forecast/secret/54.3,10.1?") == true)
  }

  @Test func `a web page instead of a weather report is an error that suggests path --verify`() async throws {
    let board = try WeatherFixture()
    try board.serve("<html>Welcome</html>")
    let (lines, code) = try await board.run(["weather", "54.001234,9.998643", "--weather-url", "http://203.0.113.10"])
    #expect(code == 69)
    let last = try #require(lines.last)
    #expect(last.hasPrefix("fixcast: openmeteo (203.0.113.10): invalid response from weather provider: body: "))
    #expect(last.hasSuffix("; see: fixcast path --help, about --verify"), "\(last)")
  }

  @Test(arguments: [
    (#"{"current":{"temperature_2m":1"#, "reply: ends early, after 30 bytes"),
    (#"{"current":{"temperature_2m":nan}}"#, "reply: is damaged, or contains a value that is not JSON, such as nan"),
  ])
  func `an incomplete reply of a provider is an error that does not suggest a portal`(body: String, reason: String)
    async throws
  {
    let board = try WeatherFixture()
    try board.serve(body)
    let (lines, code) = try await board.run(["weather", "54.001234,9.998643", "--weather-url", "http://203.0.113.10"])
    #expect(code == 69)
    #expect(lines.last == "fixcast: openmeteo (203.0.113.10): invalid response from weather provider: \(reason)")
  }

  @Test(arguments: [["-33.9,151.2"], [" -33.9, 151.2"], ["-33.9", "151.2"], ["33°54'S", "151°12'E"]])
  func `weather does not parse a coordinate south of the equator as an option`(_ place: [String]) async throws {
    let board = try WeatherFixture(connected: false)
    let (lines, code) = try await board.run(["weather"] + place + ["--weather-url", "http://127.0.0.1:9"])
    #expect(code == 69)
    #expect(lines.first?.contains(", AU  (-33.90,151.20)  ") == true, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  Weather        unknown") })
  }

  @Test func `weather at a simulated position comes from a provider, not from the board's sensors`() async throws {
    let board = try WeatherFixture()
    let server = try board.serve()
    board.environment["FIXCAST_ROOT"] = board.folder.path
    let (lines, code) = try await board.run(
      ["weather", "--source", "simulated", "--weather-url", "http://203.0.113.10"])
    #expect(code == 0, "\(lines)")
    #expect(lines.contains("  Temperature    0.3 °C"))
    #expect(server.requests.events.count == 1)
  }

  @Test(.needsRoot, arguments: [false, true])
  func `a command run by root creates no file in another user's directory, nor through a link in it`(hasLink: Bool)
    async throws
  {
    let board = try WeatherFixture()
    let (state, target) = (board.folder.path + "/state", board.folder.path + "/nologin")
    try board.folder.makeFolder("state")
    if hasLink { #expect(symlink(target, state + "/weather.sqlite") == 0) }
    #expect(chown(state, 12345, 12345) == 0)
    try board.serve()
    board.environment["FIXCAST_STATE_DIRECTORY"] = state
    let (lines, code) = try await board.run(["weather", "54.001234,9.998643", "--weather-url", "http://203.0.113.10"])
    #expect(code == 0 && lines.contains("  Temperature    0.3 °C"), "\(lines)")
    #expect(lines.contains { $0.contains("its folder \(state) belongs to uid 12345") }, "\(lines)")
    #expect(board.folder.names() == ["state"])
    let names = try FileManager.default.contentsOfDirectory(atPath: state)
    #expect(names == (hasLink ? ["weather.sqlite"] : []))
  }

  @Test func `weather reports an unwritable state directory, and still prints the weather`() async throws {
    let board = try WeatherFixture()
    try board.serve()
    board.environment["FIXCAST_STATE_DIRECTORY"] = "/proc/none"
    let (lines, code) = try await board.run(["weather", "54.001234,9.998643", "--weather-url", "http://203.0.113.10"])
    #expect(code == 0)
    #expect(lines.contains("  Temperature    0.3 °C"))
    #expect(
      lines.contains(
        "fixcast: weather store: /proc/none/weather.sqlite: No such file or directory"
          + "; kept in memory until the next start"))
  }
}
