// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The scenes of `fixcast demo --scene`, run as a child process.
@Suite(.timeLimit(.minutes(5))) struct DemoSceneTests {
  private static let names = [
    "satisfied", "unsatisfied", "flakey", "not-determined", "denied", "restricted",
    "services-off", "reduced-accuracy", "empty", "failed-weather", "slow-weather",
  ]

  private typealias State = [String: Any]

  /// Plays a scene, with a run time of a day, until its lines satisfy the condition.
  private func lines(
    of name: String, _ more: String..., until isShown: @escaping @Sendable ([String]) -> Bool
  ) async throws -> [String] {
    let arguments = ["demo", "--scene", name, "--seconds", "86400"] + more
    return try await ChildProcess.use(path: Program.path, arguments: arguments) { program in
      let lines = await program.lines.wait(until: isShown)
      program.send(SIGTERM)
      #expect(await program.wait() == 0)
      return lines
    }
  }

  /// Plays a scene until its printed states satisfy the condition, and returns the states.
  private func play(
    _ name: String, until isShown: @escaping @Sendable ([State]) -> Bool
  ) async throws -> [State] {
    Self.states(try await lines(of: name, "--json") { isShown(Self.states($0)) })
  }

  private static func states(_ lines: [String]) -> [State] {
    lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? State }
  }

  private static func path(_ state: State) -> String? { state["path"] as? String }

  private static func temperature(_ state: State?, _ key: String = "weather") -> Double? {
    (state?[key] as? State)?["temperature"] as? Double
  }

  @Test func `demo --scene list prints the scenes`() async throws {
    let (lines, code) = try await Program.run("demo", "--scene", "list")
    #expect(code == 0)
    #expect(lines.map { $0.prefix { $0 != " " } } == Self.names.map { $0[...] })
  }

  @Test func `--json lists the demo's scenes as objects, and --live is rejected`() async throws {
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

  @Test func `a demo scene shows fresh weather with its age`() async throws {
    let states = try await play("satisfied") { Self.temperature($0.last) != nil }
    let age = try #require((states.last?["weather"] as? State)?["age"] as? Double)
    #expect(age >= 0)
    let lines = try await lines(of: "satisfied") { $0.last?.contains(" °C") == true }
    #expect(lines.last?.contains(#/20\.0 °C, .*simulated, \d+\.\d s ago$/#) == true)
  }

  @Test func `an unknown demo scene exits with 64 and a list of the scenes`() async throws {
    let (lines, code) = try await Program.run("demo", "--scene", "rain")
    #expect(code == 64)
    let text = lines.joined(separator: "\n")
    for name in Self.names { #expect(text.contains(name)) }
    #expect(try await Program.run("demo", "--scene", "denied", "--live").code == 64)
  }

  @Test func `scene satisfied starts empty and ends with a place and its weather`() async throws {
    let states = try await play("satisfied") { Self.temperature($0.last) != nil }
    let first = try #require(states.first)
    #expect(Self.path(first) == "unknown")
    #expect(first["title"] as? String == "Weather")
    let last = try #require(states.last)
    #expect(Self.path(last) == "connected")
    #expect(last["title"] as? String == "New York")
    #expect(Self.temperature(last) == 20)
    #expect((last["weather"] as? State)?["simulated"] as? Bool == true)
    #expect(last["alert"] == nil && last["error"] == nil && last["message"] == nil)
  }

  @Test func `scene unsatisfied makes no lookup`() async throws {
    // The scene runs to its end, so that a late lookup would be detected.
    let (lines, code) = try await Program.run(
      "demo", "--json", "--scene", "unsatisfied", "--seconds", "5")
    #expect(code == 0)
    let states = Self.states(lines)
    let last = try #require(states.last)
    #expect(Self.path(last) == "notConnected")
    #expect(last["message"] as? String == "Not connected to internet")
    let lookupKeys = ["place", "weather", "lastKnown"]
    #expect(states.allSatisfy { state in lookupKeys.allSatisfy { state[$0] == nil } })
  }

  @Test func `scene flakey clears the current weather, and keeps place and last known weather`()
    async throws
  {
    let states = try await play("flakey") { states in
      states.last.map(Self.path) == "notConnected"
        && Self.temperature(states.last, "lastKnown") != nil
    }
    var paths: [String?] = []
    for state in states where paths.last != Self.path(state) { paths.append(Self.path(state)) }
    #expect(paths.prefix(4) == ["unknown", "notConnected", "connected", "notConnected"])
    for state in states where Self.path(state) != "connected" { #expect(state["weather"] == nil) }
    #expect(states.contains { Self.temperature($0) == 20 })
    let last = try #require(states.last)
    #expect(last["title"] as? String == "New York")
    #expect(Self.temperature(last, "lastKnown") == 20)
    #expect(last["lastKnown"].flatMap { ($0 as? State)?["age"] as? Double } != nil)
  }

  @Test func `scene not-determined waits for a tap`() async throws {
    let states = try await play("not-determined") { Self.temperature($0.last) != nil }
    #expect(states.first?["place"] == nil && states.first?["weather"] == nil)
    #expect(Self.temperature(states.last) == 20)
  }

  @Test func `scene denied ends with the alert`() async throws {
    let states = try await play("denied") { $0.last?["alert"] != nil }
    #expect(states.first?["alert"] == nil)
    let last = try #require(states.last)
    #expect(
      last["alert"] as? String
        == "Please give us location access. An operator can allow it with fixcast auth allow.")
    #expect(last["place"] == nil && last["weather"] == nil)
  }

  @Test(arguments: [
    ("restricted", "Location access is locked by this board's administrator."),
    (
      "services-off",
      "Please give us location access. An operator can allow it with fixcast auth allow."
    ),
  ])
  func `scenes without access show the alert without a tap, and no place`(
    name: String, alert: String
  ) async throws {
    let states = try await play(name) { $0.last?["path"] as? String == "connected" }
    #expect(states.allSatisfy { $0["alert"] as? String == alert })
    #expect(states.allSatisfy { $0["place"] == nil && $0["weather"] == nil })
  }

  @Test func `scene reduced-accuracy shows the weather of a cell, and says so as JSON and text`()
    async throws
  {
    func distance(_ states: [State]) -> Double? {
      (states.last?["place"] as? State)?["distance"] as? Double
    }
    let full = try await play("satisfied") { Self.temperature($0.last) != nil }
    let reduced = try await play("reduced-accuracy") { Self.temperature($0.last) != nil }
    #expect(full.allSatisfy { $0["accuracy"] == nil })
    #expect(reduced.allSatisfy { $0["accuracy"] as? String == "reduced" })
    // The feature gets the centre of the cell, which is at another distance from the place.
    let (exact, inCell) = (try #require(distance(full)), try #require(distance(reduced)))
    #expect(abs(exact - inCell) > 100 && abs(exact - inCell) < 5000)
    let lines = try await lines(of: "reduced-accuracy") { $0.last?.contains(" °C") == true }
    #expect(lines.last?.hasSuffix(" s ago  [reduced accuracy]") == true, "\(lines)")
  }

  @Test func `scene empty finds no place and looks up no weather`() async throws {
    let states = try await play("empty") { $0.last.flatMap(Self.path) == "connected" }
    let last = try #require(states.last)
    #expect(Self.path(last) == "connected" && last["title"] as? String == "Weather")
    let absentKeys = ["place", "weather", "lastKnown", "alert", "error", "message"]
    #expect(states.allSatisfy { state in absentKeys.allSatisfy { state[$0] == nil } })
  }

  @Test func `scene slow-weather shows the place before its weather`() async throws {
    let states = try await play("slow-weather") { Self.temperature($0.last) != nil }
    #expect(states.contains { $0["place"] != nil && $0["weather"] == nil })
  }

  @Test func `scene failed-weather shows the place and the error, as JSON and text`() async throws {
    let last = try #require(try await play("failed-weather") { $0.last?["error"] != nil }.last)
    #expect(last["title"] as? String == "New York")
    #expect(last["weather"] == nil)
    #expect(
      last["error"] as? String == "weather: weather provider not reached: no route to host")
    let lines = try await lines(of: "failed-weather") { $0.last?.contains("no route") == true }
    #expect(lines.first?.contains("all data is simulated") == true)
    #expect(
      lines.last?.contains(
        #/^ +\d\.\d s  connected +New York +no weather  \[weather: .*no route to host\]$/#) == true)
  }
}
