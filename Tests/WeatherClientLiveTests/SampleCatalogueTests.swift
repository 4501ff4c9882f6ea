// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Which of the collected replies a provider decodes, and why the others are decoded by none.
@Suite("The folder of collected replies", .enabled(if: Samples.arePresent, Samples.absence))
struct SampleCatalogueTests {
  /// None of these is an answer that a listed provider gives to a question that is asked.
  private static let undecoded: [String: String] = [
    "metaweather_location_44418": "no provider here: the service ended in 2022",
    "metaweather_search_lattlong": "no provider here, for the same reason",
    "nws_alerts_active_zone": """
    not asked for: a warning is worth minutes, and a report stands for half an hour or longer; who \
    sees no warning would take that for the word that there is none
    """,
    "weatherkit_availability": "no provider here: it wants a key that signs, on every board",
    "weatherkit_currentWeather": "no provider here, for the same reason",
    "weatherkit_dailyWeather": "no provider here, for the same reason",
  ]

  @Test("every file is read by a test, or is of something that is not asked for")
  func complete() throws {
    let folder = try #require(Samples.folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    let text = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "SampleReplyTests.swift"), encoding: .utf8)
    for file in files where Self.undecoded[file] == nil {
      let isNamed = text.contains("\"\(file)\"")
      // The errors of Open-Meteo are a list of endings.
      let ending = file.split(separator: "open_meteo_error_").first.map { "\"\($0)\"" }
      #expect(isNamed || ending.map(text.contains) == true, "\(file) is decoded nowhere")
    }
    #expect(Set(Self.undecoded.keys).isSubset(of: files))
    // What is not asked for is no report either: nobody takes it for one.
    for file in Self.undecoded.keys {
      for subject in ProviderCase.all {
        let provider = try subject.provider("http://127.0.0.1")
        let replies = [WeatherReply](repeating: try Samples.reply(file), count: 3)
        let report = try? provider.decode(replies, for: WeatherCell(Exchange.place))
        #expect(report?.isBlank != false, "\(subject.type.name) \(file)")
      }
    }
  }
}
