// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Standard programs that were not written for Fixcast.
@Suite("External programs without the handshake", .timeLimit(.minutes(1)))
struct ExecPlainTests {
  private static let event = ErrorEvent(source: "a", message: "b")
  private static let line = #"{"class":"ERROR","message":"b","source":"a"}"# + "\n"

  static let hasJQ = access("/usr/bin/jq", X_OK) == 0

  private func plain(_ words: [String]) -> ExecCommand {
    var command = ExecCommand(words)
    command.usesHandshake = false
    return command
  }

  @Test
  func `tee receives every event unchanged; the messages that it copies are logged once and counted`() async throws {
    let script = try ExecScript()
    let sink = script.sink(plain(["tee", "-a", script.folder.path + "/out"]))
    try await sink.start()
    var value = EnrichedLocation(.at(1, 2))
    value.add(ExecEnrichment(findings: [.init(source: "c", json: Array("true".utf8))]))
    for _ in 1...3 {
      try await sink.receive(Self.event)
      try await sink.receive(LocationEvent(.at(1, 2)))
      try await sink.receive(EnrichedEvent(value))
    }
    await sink.stop()
    let locationLine = #"{"class":"TPV","mode":2,"lat":1.000000000,"lon":2.000000000}"# + "\n"
    let enrichedLine =
      #"{"class":"ENRICHED","source":"c","lat":1.000000000,"lon":2.000000000,"data":true}"# + "\n"
    #expect(try script.read("out") == String(repeating: Self.line + locationLine + enrichedLine, count: 3))
    var counts = ExecCounts()
    counts.unknownMessages = 9
    #expect(sink.counts == counts)
    #expect(
      script.notices.events == [
        "exec: unknown message ERROR; further ones are only counted",
        "exec: ignored in total: 9 unknown messages",
      ])
  }

  @Test func `program output that may contain positions is not logged`() async throws {
    let script = try ExecScript()
    let sink = script.sink(plain(["sed", "-un", #"s/.*"lat":\([0-9.]*\).*/\1/p"#]))
    try await sink.start()
    try await sink.receive(LocationEvent(.at(12, 2)))
    try await sink.receive(LocationEvent(.at(13, 2)))
    await sink.stop()
    #expect(
      script.notices.events == [
        "exec: invalid message of 12 bytes; further ones are only counted",
        "exec: ignored in total: 2 invalid lines",
      ])
  }

  @Test(.enabled(if: hasJQ, "needs jq"))
  func `the documentation's shell pipeline sends only fixes`() async throws {
    let script = try ExecScript()
    var command = try documentedCommand("sink", example: 2)
    try script.folder.makeFolder("bin")
    // A script with the client's name records what the client would publish.
    try script.folder.write("bin/mosquitto_pub", "#!/bin/sh\nexec cat >\"$FOLDER/out\"\n")
    try #require(chmod(script.folder.path + "/bin/mosquitto_pub", 0o700) == 0)
    command.environment["FOLDER"] = script.folder.path
    command.environment["PATH"] = script.folder.path + "/bin:/usr/bin:/bin"
    command.closeSeconds = 50
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(Self.event)
    try await sink.receive(NoFixEvent(Fix(mode: .none)))
    try await sink.receive(LocationEvent(.at(1, 2)))
    await sink.stop()
    let lines = try script.read("out").split(separator: "\n")
    #expect(lines.count == 1 && lines.first?.hasPrefix(#"{"class":"TPV","mode":2,"lat":1"#) == true)
    #expect(script.notices.events.isEmpty)
  }

  @Test func `a program without the handshake can report errors of the protocol`() async throws {
    let script = try ExecScript()
    var command = try script.command(
      """
      echo ready; read -r event; printf '%s\\n' "$event" >"$FOLDER/out"
      echo '{"class":"ERROR","message":"full","retryAfter":90}'; exit 75
      """)
    command.usesHandshake = false
    let sink = script.sink(command)
    try await sink.start()
    let error = await #expect(throws: PluginError.self) {
      // The pipe may accept a few more events before the program has ended.
      while true { try await sink.receive(Self.event) }
    }
    await sink.stop()
    #expect(try script.read("out") == Self.line)
    #expect(error?.kind == .transient(retryAfter: .seconds(90)))
    #expect(error?.why == "it ended with exit code 75")
    #expect(
      script.notices.events == [
        "exec: invalid message of 5 bytes; further ones are only counted",
        "exec: error: full",
      ])
  }

  @Test func `the documentation's MQTT client gets its arguments and the events, and nothing else`() async throws {
    let script = try ExecScript()
    var command = try documentedCommand("sink")
    #expect(command.name == "mosquitto_pub" && !command.usesHandshake)
    // A script with the client's name records its arguments and its input.
    let standIn = try script.command("echo \"$@\" >\"$FOLDER/words\"; cat >\"$FOLDER/out\"")
    command.environment = standIn.environment
    command.words = standIn.words + command.words.dropFirst()
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(Self.event)
    try await sink.receive(Self.event)
    await sink.stop()
    #expect(try script.read("words") == "-h broker.lan -t van/position -l\n")
    #expect(try script.read("out") == Self.line + Self.line)
    #expect(script.notices.events.isEmpty && sink.counts == ExecCounts())
  }

  @Test(.enabled(if: hasJQ, "needs jq"))
  func `the jq example in the documentation adds data to locations`() async throws {
    let notices = EventRecorder<String>()
    let delivered = EventRecorder<EnrichedLocation>()
    let stage = ExecStage(command: try documentedCommand("stage"), now: { .at(0) }, logLine: { notices.record($0) })
    let (input, inputContinuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    for latitude in [51.0, -33, 0] {
      inputContinuation.yield(EnrichedLocation(.at(latitude, 2)))
    }
    inputContinuation.finish()
    try await stage.run(input, deliver: { delivered.record($0) }, report: { _ in })
    let findings = delivered.events.map { value in
      (value.enrichment(of: ExecEnrichment.self)?.findings ?? []).map {
        String(decoding: $0.json, as: UTF8.self)
      }
    }
    #expect(findings == [[#"{"south":false}"#], [#"{"south":true}"#], [#"{"south":false}"#]])
    #expect(notices.events.isEmpty && stage.counts == ExecCounts())
  }
}
