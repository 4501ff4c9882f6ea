// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Which of the collected replies a provider decodes, why the others are decoded by no provider, and
/// what they say.
@Suite("The folder of collected replies", .enabled(if: Samples.arePresent, Samples.absence))
struct SampleCatalogueTests {
  /// None of these is an answer that a listed provider gives to a question that is asked.
  private static let undecoded: [String: String] = [
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

  private func decoded<Form: Decodable>(_ name: String, as form: Form.Type) throws -> Form {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(form, from: Data(try Samples.bytes(name)))
  }

  private struct Alerts: Decodable {
    struct Feature: Decodable { var properties: Alert }
    struct Alert: Decodable {
      enum Severity: String, Decodable {
        case extreme = "Extreme"
        case severe = "Severe"
        case moderate = "Moderate"
        case minor = "Minor"
        case unknown = "Unknown"
      }
      var event: String
      var severity: Severity
      var headline: String
      var expires: Date
    }
    var features: [Feature]
  }

  @Test("an alert of the National Weather Service has a severity, a headline and an end")
  func alerts() throws {
    let alerts = try decoded("nws_alerts_active_zone", as: Alerts.self).features.map(\.properties)
    #expect(alerts.count == 1)
    let alert = try #require(alerts.first)
    #expect(alert.event == "Flood Watch" && alert.severity == .severe)
    #expect(alert.headline.hasSuffix("until December 22 at 10:00AM PST by NWS Portland OR"))
    // 05:30 on 21 December 2019, eight hours behind.
    #expect(alert.expires == Date(timeIntervalSince1970: 1_576_935_000))
  }

  private struct KitMoment: Decodable {
    struct Metadata: Decodable { var expireTime: Date }
    var metadata: Metadata
    var temperature: Double
    var pressure: Double
    var humidity: Double
  }

  private struct KitDays: Decodable {
    struct Day: Decodable {
      var forecastStart: Date
      var temperatureMin: Double
      var temperatureMax: Double
      var sunrise: Date
    }
    var days: [Day]
  }

  @Test("WeatherKit says what it has, the weather now, and days")
  func weatherKit() throws {
    let sets = try decoded("weatherkit_availability", as: [String].self)
    #expect(sets.count == 5 && sets.first == "currentWeather" && sets.last == "weatherAlerts")
    let now = try decoded("weatherkit_currentWeather", as: KitMoment.self)
    #expect(now.temperature == 23.32 && now.pressure == 1024.49 && now.humidity == 0.74)
    #expect(now.metadata.expireTime == Date(timeIntervalSince1970: 1_667_834_391))
    let days = try decoded("weatherkit_dailyWeather", as: KitDays.self).days
    #expect(days.count == 2)
    #expect(days.first?.temperatureMin == 14.25 && days.first?.temperatureMax == 26.55)
    #expect(days.first?.sunrise == Date(timeIntervalSince1970: 1_667_821_298))
  }
}
