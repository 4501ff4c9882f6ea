// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Plugins
import Positioning
import Testing
import WeatherClient

/// Compares the OpenAPI document with the responses of a daemon with a simulated receiver.
@Suite("The OpenAPI document", .serialized, .timeLimit(.minutes(3)))
struct OpenAPITests {
  private static func schema() throws -> JSONSchema {
    let path = "Sources/DaemonServer/Web/openapi.json"
    return try JSONSchema(Data(contentsOf: Document.root.appending(path: path)))
  }

  /// Sends a request with curl, and returns the status and the body.
  private static func response(
    _ path: String, _ board: borrowing DaemonFixture, _ options: [String] = []
  ) async throws -> (status: Int, body: String) {
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/curl",
      arguments: [
        "--silent", "--max-time", "60", "--unix-socket", board.path + "/s", "--write-out",
        "\n%{http_code}\n", "http://fixcast\(path)",
      ] + options)
    try #require(code == 0, "\(path): \(lines)")
    return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
  }

  private static func withBoard(_ body: (borrowing DaemonFixture) async throws -> Void) async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try board.folder.write("root/etc/fixcast/policy.d/10-test.conf", "allow everyone\n")
    try await board.use { _ in try await body(board) }
  }

  @Test func `each documented path exists, and each response and event matches its schema`() async throws {
    let schema = try Self.schema()
    try await Self.withBoard { board in
      // The stream ends when there is an event of each class that a simulated receiver causes.
      let events = ["AUTH", "TPV", "SKY", "PATH"]
      let curl = [
        "--silent", "--no-buffer", "--unix-socket", board.path + "/s",
        "http://fixcast/v1/events?purpose=test&page=1",
      ]
      let lines = try await ChildProcess.use(path: "/usr/bin/curl", arguments: curl) {
        await $0.lines.wait { lines in
          events.allSatisfy { name in lines.contains("event: \(name)") }
            && lines.last?.hasPrefix("data: ") == true
        }
      }
      for line in lines where line.hasPrefix("data: ") {
        let name = try #require(line.firstMatch(of: #/"class":"(?<name>[A-Z]+)"/#)).name
        let faults = try schema.faults(of: Data(line.dropFirst(6).utf8), as: String(name))
        #expect(faults.isEmpty, "\(faults): \(line)")
      }
      for (path, methods) in schema.paths {
        for method in methods.keys.sorted() where path != "/v1/events" {
          try await check(path, method, schema, board)
        }
      }
    }
  }

  private func check(
    _ path: String, _ method: String, _ schema: JSONSchema, _ board: borrowing DaemonFixture
  ) async throws {
    let bodies = [
      "/v1/authorization": #"{"request":"whenInUse","purpose":"test"}"#,
      "/v1/authorization/decision": #"{"request":"1","decision":"allow"}"#,
      "/v1/web/link": "{}", "/v1/web/end": "{}",
    ]
    var options: [String] = []
    if method == "post" {
      options = [
        "--data", try #require(bodies[path]), "--header", "Content-Type: application/json",
        "--header", "X-Fixcast: 1",
      ]
    }
    // A rule applies to a request for a location only if the request has a purpose.
    let target = path == "/v1/location" ? path + "?purpose=test" : path
    let (status, body) = try await Self.response(target, board, options)
    let operation = try #require(schema.paths[path]?[method])
    let responses = try #require(operation["responses"] as? [String: [String: Any]])
    let documented = try #require(responses["\(status)"], "\(method) \(path): \(status): \(body)")
    // There is no weather, no pending request and no TCP port on this board.
    let isMissing = ["/v1/weather", "/v1/forecast", "/v1/authorization/decision", "/v1/web/link"]
      .contains(path)
    #expect(status == (isMissing ? 404 : path == "/login" ? 303 : 200), "\(path): \(body)")
    let content = documented["content"] as? [String: [String: Any]]
    let reference = (content?["application/json"]?["schema"] as? [String: Any])?["$ref"]
    guard let name = (reference as? String)?.split(separator: "/").last else { return }
    let faults = try schema.faults(of: Data(body.utf8), as: String(name))
    #expect(faults.isEmpty, "\(method) \(path): \(faults): \(body)")
  }

  @Test func `the status of a daemon with faults matches its schema`() async throws {
    let schema = try Self.schema()
    let board = try DaemonFixture()
    try board.configure(
      DaemonFixture.source("type = \"serial\"\ndevice = \"\(board.path)/none\"")
        + board.sink("gpx", name: "track", file: "none/track.gpx")
        + "[web]\nlisten = \"127.0.0.1:8443\"\ntls_certificate_file = \"\(board.path)/web.crt\"\n"
        + "tls_key_file = \"\(board.path)/web.key\"\n")
    try await board.use { daemon in
      try board.configure("[[sink]]\ntype = \"gxp\"\n")
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "the previous one stays active", daemon)
      let (_, body) = try await Self.response("/v1/status", board)
      for member in ["\"wrong\":[\"", "\"secretErrors\":[\"", "\"failures\":[\""] {
        #expect(body.contains(member), "\(body)")
      }
      let faults = try schema.faults(of: Data(body.utf8), as: "STATUS")
      #expect(faults.isEmpty, "\(faults): \(body)")
    }
  }

  @Test func `a path that is not documented does not exist, and an unknown method is refused`() async throws {
    try await Self.withBoard { board in
      #expect(try await Self.response("/v1/other", board).status == 404)
      for path in try Self.schema().paths.keys {
        let status = try await Self.response(path, board, ["--request", "DELETE"]).status
        #expect(status == (path == "/login" ? 303 : 405), "\(path)")
      }
    }
  }

  @Test func `a forecast matches its schema, and begins with the current hour`() throws {
    let now = UTCTime.noon
    var day = DayWeather(date: now.date)
    (day.lowestTemperatureDegreesCelsius, day.sunrise) = (6.1, now)
    let report = Samples.report(at: .at(51.5, -0.12)) {
      $0.issuedAt = .noon(plus: -312)
      ($0.attribution, $0.licence) = ("Weather data by <Open-Meteo>", "CC BY 4.0")
      $0.hours = Samples.hours(130, from: .noon(plus: -30 * 3600 - 1800)) {
        $0.weather.temperatureDegreesCelsius = 11.4
        $0.weather.windSpeedMetersPerSecond = 5.1
        $0.precipitationProbabilityPercent = 40
      }
      $0.days = [day]
    }
    var line = JSONLine()
    line.appendFORECAST(report, at: now)
    let faults = try Self.schema().faults(of: Data(line.bytes), as: "FORECAST")
    #expect(faults.isEmpty, "\(faults)")
    let text = String(decoding: line.bytes, as: UTF8.self)
    #expect(text.contains(#""age":312"#) && text.contains(#""hours":[{"time":"#), "\(text)")
    #expect(report.forecastHours(at: now).count == 48)
    let first = try #require(report.forecastHours(at: now).first)
    #expect(first.time == UTCTime(secondsSince1970: 1_795_260_600))
    #expect(report.forecastDays(at: now).count == 1)
    let later = UTCTime(secondsSince1970: now.secondsSince1970 + 100 * 86_400)
    #expect(report.forecastHours(at: later).isEmpty && report.forecastDays(at: later).isEmpty)
  }

  @Test func `the check of schemas finds wrong types, missing members and members without documentation`() throws {
    let schema = try Self.schema()
    for (json, fault) in [
      (#"{"class":"TPV"}"#, "no mode"), (#"{"class":"SKY","mode":3}"#, "is not TPV"),
      (#"{"class":"TPV","mode":3,"other":1}"#, "not documented"),
      (#"{"class":"TPV","mode":3,"lat":"54"}"#, "not of type"),
      (#"{"class":"TPV","mode":3,"time":"yesterday"}"#, "another format"),
      (#"{"class":"TPV","mode":3,"last":1}"#, "not of type"),
    ] {
      let faults = try schema.faults(of: Data(json.utf8), as: "TPV")
      #expect(faults.contains { $0.contains(fault) }, "\(json): \(faults)")
    }
    #expect(try schema.faults(of: Data(#"{"class":"TPV","mode":1}"#.utf8), as: "TPV").isEmpty)
  }
}
