// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The places, the units and the hours of `fixcast weather`.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherOutputTests {
  @Test func `weather --hourly prints each hour of the next day, or of --days`() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = try ScratchFolder()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    let environment = ["FIXCAST_STATE_DIRECTORY": folder.path]
    let text = try await lab.run(words + ["--hourly"], environment: environment)
    #expect(text.code == 0 && text.lines.contains { $0.hasPrefix("  Hour ") }, "\(text.lines)")
    #expect((24...25).contains(text.lines.count { $0.contains(#/^  [A-Z][a-z]{2} \d\d:00 /#) }))
    let json = try await lab.run(
      words + ["--hourly", "--days", "2", "--json"], environment: environment)
    let object = json.lines.first { $0.contains("WEATHER") } ?? ""
    #expect((48...49).contains(object.components(separatedBy: #""duration":3600"#).count - 1))
    let wrong = try await lab.run(words + ["--days", "0"], environment: environment)
    #expect(wrong.code == 64)
    #expect(wrong.lines.first?.contains("--days takes 1 to 16, not 0") == true)
  }

  @Test func `weather looks a town up by its name, and names the other towns with this name`() async throws {
    let lab = NetworkNamespaceFixture(connected: false)
    let folder = try ScratchFolder()
    let options = ["--weather-url", "http://127.0.0.1:9"]
    let environment = ["FIXCAST_STATE_DIRECTORY": folder.path]
    let (lines, code) = try await lab.run(["weather", "kiel"] + options, environment: environment)
    #expect(code == 69)
    #expect(lines.contains { $0.hasPrefix("Kiel, DE  (54.32,10.13)  ") }, "\(lines)")
    #expect(
      lines.contains {
        $0.hasPrefix(
          "fixcast: kiel: using Kiel, DE 54.32,10.13, the most populous; others: Kiel, US")
      }, "\(lines)")
    let spaced = try await lab.run(["weather", "New", "York", "City"], environment: environment)
    #expect(spaced.lines.contains { $0.hasPrefix("New York City, US  (40.71,-74.01)  ") })
  }

  @Test func `weather prints the units of the locale or of --units, and the time of TZ`() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = try ScratchFolder()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    let words = ["weather", "54.0,10.0", "--weather-url", "http://203.0.113.10"]
    var environment = [
      "FIXCAST_STATE_DIRECTORY": folder.path, "LC_ALL": "en_US.UTF-8", "TZ": "XST-5",
    ]
    let imperial = try await lab.run(words, environment: environment)
    #expect(imperial.lines.contains("  Temperature    32.5 °F"), "\(imperial.lines)")
    #expect(imperial.lines.first?.hasSuffix(" XST") == true, "\(imperial.lines)")
    #expect(imperial.lines.contains { $0.contains("Sun ") && $0.contains(" XST; ") })
    environment["LC_ALL"] = "C"
    let metric = try await lab.run(words, environment: environment)
    #expect(metric.lines.contains("  Temperature    0.3 °C"), "\(metric.lines)")
    let option = try await lab.run(words + ["--units", "imperial"], environment: environment)
    #expect(option.lines.contains("  Temperature    32.5 °F"))
    let json = try await lab.run(
      words + ["--json", "--units", "imperial"], environment: environment)
    #expect(json.lines.contains { $0.contains(#""temperature":0.25,"#) })
    #expect(json.lines.contains { $0.contains(#":00.000Z""#) || $0.contains(#"Z","place""#) })
  }
}
