// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// `fixcast demo --scene` as its user runs it.
@Suite(.timeLimit(.minutes(1))) struct DemoSceneTests {
  private static let names = [
    "satisfied", "unsatisfied", "flakey", "not-determined", "denied", "failed-weather",
  ]

  /// What the feature showed, change by change.
  private func play(_ name: String, _ more: String...) async throws -> [[String: Any]] {
    try await ChildProcess.use(
      path: Program.path, arguments: ["demo", "--json", "--scene", name] + more
    ) { program in
      #expect(await program.wait() == 0)
      return try program.lines.events.filter { $0.hasPrefix("{") }.map { line in
        try #require(
          JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      }
    }
  }

  private func path(_ state: [String: Any]) -> String? { state["path"] as? String }

  private func temperature(_ state: [String: Any], _ key: String = "weather") -> Double? {
    (state[key] as? [String: Any])?["temperature"] as? Double
  }

  @Test func `lists the scenes`() async throws {
    let (lines, code) = try await Program.run("demo", "--scene", "list")
    #expect(code == 0)
    #expect(lines.map { $0.prefix { $0 != " " } } == Self.names.map { $0[...] })
  }

  @Test func `lists the scenes as objects too, and asks no real provider for that`() async throws {
    let (lines, code) = try await Program.run("demo", "--scene", "list", "--json")
    #expect(code == 0)
    let scenes = try lines.map { line in
      try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
    }
    #expect(scenes.map { $0["name"] } == Self.names)
    #expect(scenes.allSatisfy { $0["class"] == "SCENE" && $0["summary"]?.isEmpty == false })
    #expect(try await Program.run("demo", "--scene", "list", "--live").code == 64)
  }

  @Test func `fresh weather is shown with its age`() async throws {
    let last = try #require(try await play("satisfied").last)
    let age = try #require((last["weather"] as? [String: Any])?["age"] as? Double)
    #expect(age >= 0)
    let (lines, code) = try await Program.run("demo", "--scene", "satisfied")
    #expect(code == 0)
    #expect(lines.last?.contains(#/20\.0 °C, .*simulated, \d\.\d s ago$/#) == true)
  }

  @Test func `a name that is none exits 64, with those that are`() async throws {
    let (lines, code) = try await Program.run("demo", "--scene", "rain")
    #expect(code == 64)
    let text = lines.joined(separator: "\n")
    for name in Self.names { #expect(text.contains(name)) }
    #expect(try await Program.run("demo", "--scene", "denied", "--live").code == 64)
  }

  @Test func `satisfied goes from nothing to a place and its weather`() async throws {
    let states = try await play("satisfied")
    let first = try #require(states.first)
    #expect(path(first) == "unknown")
    #expect(first["title"] as? String == "Weather")
    let last = try #require(states.last)
    #expect(path(last) == "connected")
    #expect(last["title"] as? String == "New York")
    #expect(temperature(last) == 20)
    #expect((last["weather"] as? [String: Any])?["simulated"] as? Bool == true)
    #expect(last["alert"] == nil && last["error"] == nil && last["message"] == nil)
  }

  @Test func `unsatisfied looks nothing up`() async throws {
    let last = try #require(try await play("unsatisfied").last)
    #expect(path(last) == "notConnected")
    #expect(last["message"] as? String == "Not connected to internet")
    #expect(last["place"] == nil && last["weather"] == nil && last["lastKnown"] == nil)
  }

  @Test func `flakey clears what is fresh, and keeps place and what was known`() async throws {
    let states = try await play("flakey", "--seconds", "7")
    var paths: [String?] = []
    for state in states where paths.last != path(state) { paths.append(path(state)) }
    #expect(paths == ["unknown", "notConnected", "connected", "notConnected"])
    for state in states where path(state) != "connected" { #expect(state["weather"] == nil) }
    #expect(states.contains { temperature($0) == 20 })
    let last = try #require(states.last)
    #expect(last["title"] as? String == "New York")
    #expect(temperature(last, "lastKnown") == 20)
    #expect(last["lastKnown"].flatMap { ($0 as? [String: Any])?["age"] as? Double } != nil)
  }

  @Test func `not-determined waits for a tap`() async throws {
    let states = try await play("not-determined")
    #expect(states.first?["place"] == nil && states.first?["weather"] == nil)
    #expect(states.last.flatMap { temperature($0) } == 20)
  }

  @Test func `denied ends with the alert`() async throws {
    let states = try await play("denied")
    #expect(states.first?["alert"] == nil)
    let last = try #require(states.last)
    #expect(last["alert"] as? String == "Please give us location access.")
    #expect(last["place"] == nil && last["weather"] == nil)
  }

  @Test func `failed-weather shows the place and the error, for people too`() async throws {
    let last = try #require(try await play("failed-weather").last)
    #expect(last["title"] as? String == "New York")
    #expect(last["weather"] == nil)
    #expect(
      last["error"] as? String == "weather: weather provider not reached: no route to host")
    let (lines, code) = try await Program.run("demo", "--scene", "failed-weather")
    #expect(code == 0)
    #expect(lines.first?.contains("nothing here is real") == true)
    #expect(
      lines.last?.contains(
        #/^ +\d\.\d s  connected +New York +no weather  \[weather: .*no route to host\]$/#) == true)
  }
}
