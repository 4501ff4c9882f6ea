// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Checks that every collected reply is either decoded in a test or listed with a reason.
@Suite("The folder of collected replies", .enabled(if: Samples.arePresent, Samples.absence))
struct SampleCatalogueTests {
  /// The names of the replies that no provider decodes, with the reason.
  private static let undecoded: [String: String] = [
    "metaweather_location_44418": "not supported: the service ended in 2022",
    "metaweather_search_lattlong": "not supported: the service ended in 2022",
    "nws_alerts_active_zone": """
    not requested: a warning is valid for minutes, but a report is cached for half an hour or \
    longer, so a missing warning would be misleading
    """,
    "weatherkit_availability": "not supported: every board would need a signing key",
    "weatherkit_currentWeather": "not supported: every board would need a signing key",
    "weatherkit_dailyWeather": "not supported: every board would need a signing key",
  ]

  @Test func `every collected reply is decoded in a test or listed as unsupported`() throws {
    let folder = try #require(Samples.folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    let text = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "SampleReplyTests.swift"), encoding: .utf8)
    for file in files where Self.undecoded[file] == nil {
      let isNamed = text.contains("\"\(file)\"")
      // The test of Open-Meteo's errors lists only the endings of the file names.
      let ending = file.split(separator: "open_meteo_error_").first.map { "\"\($0)\"" }
      #expect(isNamed || ending.map(text.contains) == true, "no test decodes \(file)")
    }
    #expect(Set(Self.undecoded.keys).isSubset(of: files))
    // No provider decodes an unsupported reply into a report with values.
    for file in Self.undecoded.keys {
      for subject in ProviderCase.all {
        let provider = try subject.provider("http://127.0.0.1")
        let replies = [WeatherReply](repeating: try Samples.reply(file), count: 3)
        let report = try? provider.decode(replies, for: WeatherCell(Exchange.coordinate))
        #expect(report?.isBlank != false, "\(subject.type.name) \(file)")
      }
    }
  }
}
