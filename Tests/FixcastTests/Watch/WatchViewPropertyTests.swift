// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Plugins
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

@Suite("The live view with random events and terminal sizes", .oneAtATime)
struct WatchViewPropertyTests {
  private static let texts = [
    "/dev/ttyACM0", "\u{1B}[2J\u{1B}[H", "a\r\nb", "\u{9B}31m", "東京都千代田区", "😀👨‍👩‍👧", "\u{202E}evil", "",
    String(repeating: "long ", count: 60), "e\u{301}\u{7F}\0",
  ]

  /// Returns a random event with extreme texts and numbers.
  private func event(at seconds: Double, _ random: inout SeededGenerator) -> any PipelineEvent {
    func text() -> String { Self.texts[Int.random(in: 0..<Self.texts.count, using: &random)] }
    func number() -> Double {
      [0, -1, 1e300, -1e-300, .infinity, .nan, 9.5, 123_456.789].randomElement(using: &random) ?? 0
    }
    let at = seconds - Double.random(in: 0...2, using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0:
      var location = SceneEvents.location(at: at, source: text()).location
      location.altitudeMetersAboveSeaLevel = number()
      location.speedMetersPerSecond = number()
      location.courseDegreesTrue = number()
      location.isSimulated = Bool.random(using: &random)
      return LocationEvent(location)
    case 1: return SceneEvents.noFix(at: at)
    case 2:
      let signals = (0..<Int.random(in: 0...60, using: &random)).map { _ in number() }
      return SceneEvents.sky(at: at, signals: signals)
    case 3: return SourceEvent.connected(SourceServer(address: text(), release: text()))
    case 4:
      var receiver = ReceiverInfo(name: text(), isActive: Bool.random(using: &random))
      receiver.model = text()
      receiver.driver = text()
      receiver.baud = Int.random(in: .min ... .max, using: &random)
      return SourceEvent.receiver(receiver)
    case 5:
      return SourceEvent.lost(
        SourceLoss(
          .disconnected, receiver: Bool.random(using: &random) ? text() : nil, detail: text()),
        source: text())
    case 6: return SceneEvents.path(Bool.random(using: &random) ? .noCarrier : nil)
    case 7:
      let verdict = Bool.random(using: &random) ? Verdict.passes : .holds(reason: text())
      return GateEvent(gate: "reachability", verdict: verdict, heldCount: 1)
    case 8:
      var event = SceneEvents.weather(at: at, place: text())
      if var report = event.value.enrichment(of: WeatherEnrichment.self)?.report {
        report.provider = text()
        report.attribution = text()
        report.now.temperatureDegreesCelsius = number()
        event.value.add(WeatherEnrichment(report))
      }
      return event
    case 9: return AuthorizationEvent(Authorization(.authorizedAlways))
    default:
      return ErrorEvent(source: Bool.random(using: &random) ? "weather" : text(), message: text())
    }
  }

  @Test(arguments: 0..<12)
  func `the live view fits the terminal and contains no control characters`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var scene = WatchScene(wantsWeather: Bool.random(using: &random))
    for step in 1...25 {
      let seconds = Double(step) * 1.5
      scene.at(seconds, event(at: seconds, &random))
      for _ in 0..<3 {
        let columns = Int.random(in: 20...200, using: &random)
        let rows = Int.random(in: 1...60, using: &random)
        let lines = scene.lines(at: seconds + 1, columns: columns, rows: rows)
        #expect(lines.count <= rows && !lines.isEmpty, "\(columns) x \(rows)")
        for line in lines {
          #expect(Text.columns(line) <= columns, "\(columns) x \(rows): \(line)")
          #expect(Text.visible(line) == line, "\(columns) x \(rows): \(line)")
        }
        // With colours, the lines differ only by colour sequences.
        let colored = scene.lines(at: seconds + 1, columns: columns, rows: rows, usesColor: true)
        #expect(colored.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") } == lines)
      }
    }
  }

  @Test(arguments: [20, 40, 80], 1...24)
  func `the live view shows the fix in a terminal of any size`(columns: Int, rows: Int) {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), SceneEvents.sky(at: 1, signals: [40, 41, 42, 43]))
    scene.at(1, SceneEvents.path(), SceneEvents.weather(at: 1))
    let lines = scene.lines(at: 2, columns: columns, rows: rows)
    #expect(lines.contains { $0.hasPrefix("Fix") }, "\(lines)")
    if rows >= 4 { #expect(lines.contains { $0.contains("51.507350") }, "\(lines)") }
    // No row is removed unless necessary.
    if columns == 80, rows <= 18 { #expect(lines.count == rows, "\(lines)") }
  }
}
