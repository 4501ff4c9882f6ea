// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The places, the units and the hours of `fixcast weather`.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherOutputTests {
  @Test func `weather --hourly prints each hour of the next day, or of --days`() async throws {
    let board = try WeatherFixture()
    try board.serve()
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    let text = try await board.run(words + ["--hourly"])
    #expect(text.code == 0 && text.lines.contains { $0.hasPrefix("  Hour ") }, "\(text.lines)")
    #expect((24...25).contains(text.lines.count { $0.contains(#/^  [A-Z][a-z]{2} \d\d:00 /#) }))
    let json = try await board.run(words + ["--hourly", "--days", "2", "--json"])
    let object = json.lines.first { $0.contains("WEATHER") } ?? ""
    #expect((48...49).contains(object.components(separatedBy: #""duration":3600"#).count - 1))
    let wrong = try await board.run(words + ["--days", "0"])
    #expect(wrong.code == 64)
    #expect(wrong.lines.first?.contains("--days takes 1 to 16, not 0") == true)
  }

  @Test func `weather looks a town up by its name, and names the other towns with this name`() async throws {
    let board = try WeatherFixture(connected: false)
    let options = ["--weather-url", "http://127.0.0.1:9"]
    let (lines, code) = try await board.run(["weather", "kiel"] + options)
    #expect(code == 69)
    #expect(lines.contains { $0.hasPrefix("Kiel, DE  (54.32,10.13)  ") }, "\(lines)")
    #expect(
      lines.contains {
        $0.hasPrefix("fixcast: kiel: using Kiel, DE 54.32,10.13, the most populous; others: Kiel, WI, US")
      }, "\(lines)")
    let spaced = try await board.run(["weather", "New", "York", "City"])
    #expect(spaced.lines.contains { $0.hasPrefix("New York City, NY, US  (40.71,-74.01)  ") })
  }

  @Test func `weather prints the units of the locale or of --units, and the time of TZ`() async throws {
    let board = try WeatherFixture(environment: ["LC_ALL": "en_US.UTF-8", "TZ": "XST-5"])
    try board.serve()
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    let imperial = try await board.run(words)
    #expect(imperial.lines.contains("  Temperature    32.5 °F"), "\(imperial.lines)")
    #expect(imperial.lines.first?.hasSuffix(" XST") == true, "\(imperial.lines)")
    #expect(imperial.lines.contains { $0.contains("Sun ") && $0.contains(" XST; ") })
    board.environment["LC_ALL"] = "C"
    let metric = try await board.run(words)
    #expect(metric.lines.contains("  Temperature    0.3 °C"), "\(metric.lines)")
    let option = try await board.run(words + ["--units", "imperial"])
    #expect(option.lines.contains("  Temperature    32.5 °F"))
    let json = try await board.run(words + ["--json", "--units", "imperial"])
    #expect(json.lines.contains { $0.contains(#""temperature":0.25,"#) })
    #expect(json.lines.contains { $0.contains(#":00.000Z""#) || $0.contains(#"Z","place""#) })
  }
}
