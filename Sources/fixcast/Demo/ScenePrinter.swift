// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Plugins
import Positioning
import WeatherClient
import WeatherFeature

/// Prints the weather feature's states, as lines of text or as JSON.
struct ScenePrinter: Sendable {
  let json: Bool
  var format = ValueFormat()

  /// Returns the line for a state, with a line ending.
  ///
  /// The accuracy is that of the location client.
  func line(
    _ state: WeatherState, after elapsed: Duration, weatherAge age: Double?,
    accuracy: AccuracyAuthorization
  ) -> [UInt8] {
    let seconds = elapsed / .seconds(1)
    let isReduced = accuracy == .reducedAccuracy
    guard json else {
      return Array((text(state, seconds, age, isReduced: isReduced) + "\n").utf8)
    }
    var line = JSONLine()
    line.appendMODEL(state, afterSeconds: seconds, weatherAge: age, isReduced: isReduced)
    return line.bytes
  }

  /// Returns the line for a scene in the list, with a line ending.
  func line(_ scene: DemoScene) -> [UInt8] {
    guard json else { return Array((Text.padded(scene.name, 18) + scene.summary + "\n").utf8) }
    var line = JSONLine()
    line.beginObject()
    line.constant("class", "SCENE")
    line.string("name", scene.name)
    line.string("summary", scene.summary)
    line.endObject()
    line.endLine()
    return line.bytes
  }

  private func text(
    _ state: WeatherState, _ seconds: Double, _ age: Double?, isReduced: Bool
  ) -> String {
    let path =
      switch state.path {
      case .unknown: "path unknown"
      case .connected: "connected"
      case .notConnected: "not connected"
      }
    var parts = [
      Text.fixed(seconds, 1, width: 7) + " s", Text.padded(path, 13),
      Text.padded(state.title, 10), weather(state, age),
    ]
    let remarks =
      [isReduced ? "reduced accuracy" : nil, state.connectionMessage]
      + [state.authorizationAlert?.text, state.lastError.map { "\($0)" }]
    parts += remarks.compactMap { $0.map { "[\($0)]" } }
    return parts.joined(separator: "  ")
  }

  private func weather(_ state: WeatherState, _ age: Double?) -> String {
    // The current weather is also the last known weather, so `age` applies to both.
    if let weather = state.weather {
      return text(weather) + (age.map { ", \(Text.fixed($0, 1)) s ago" } ?? "")
    }
    guard let lastKnown = state.lastKnownWeather, let age else { return "no weather" }
    return "no fresh weather; in \(lastKnown.place.title) \(Text.fixed(age, 1)) s ago: "
      + text(lastKnown.report)
  }

  private func text(_ report: WeatherReport) -> String {
    let parts = [
      report.now.temperatureDegreesCelsius.map { format.temperature($0) },
      report.now.condition?.title, report.isSimulated ? "simulated" : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

extension JSONLine {
  /// Appends the state, without values that the feature does not show.
  fileprivate mutating func appendMODEL(
    _ state: WeatherState, afterSeconds seconds: Double, weatherAge age: Double?, isReduced: Bool
  ) {
    beginObject()
    constant("class", "MODEL")
    decimal("elapsed", seconds, places: 3)
    string("path", state.path.rawValue)
    string("accuracy", isReduced ? "reduced" : nil)
    string("title", state.title)
    if let place = state.currentPlace { self.place(place) }
    if let weather = state.weather {
      beginObject("weather")
      now(of: weather)
      integer("days", weather.days.count)
      decimal("age", age, places: 3)
      endObject()
    }
    if let lastKnown = state.lastKnownWeather {
      beginObject("lastKnown")
      place(lastKnown.place)
      now(of: lastKnown.report)
      decimal("age", age, places: 3)
      endObject()
    }
    string("alert", state.authorizationAlert?.text)
    string("message", state.connectionMessage)
    string("error", state.lastError.map { "\($0)" })
    endObject()
    endLine()
  }

  private mutating func place(_ place: Place) {
    beginObject("place")
    integer("id", place.id)
    string("title", place.title)
    decimal("distance", place.distanceMeters, places: 0)
    endObject()
  }

  private mutating func now(of report: WeatherReport) {
    decimal("temperature", report.now.temperatureDegreesCelsius, places: 2)
    string("condition", report.now.condition?.name)
    string("provider", report.provider)
    if report.isSimulated { boolean("simulated", true) }
  }
}
