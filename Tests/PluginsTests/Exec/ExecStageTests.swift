// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("External program as a stage", .timeLimit(.minutes(5)))
struct ExecStageTests {
  private let delivered = EventRecorder<EnrichedLocation>()
  private let reported = EventRecorder<ErrorEvent>()
  private let input: AsyncStream<EnrichedLocation>
  private let inputContinuation: AsyncStream<EnrichedLocation>.Continuation

  init() { (input, inputContinuation) = AsyncStream.makeStream() }

  private func stage(_ command: ExecCommand, clock: any Clock<Duration>) -> ExecStage {
    ExecStage(command: command, clock: clock, now: { .at(0) })
  }

  private func run(_ stage: ExecStage, _ latitudes: [Double], ends: Bool = true) -> Task<Void, any Error> {
    for latitude in latitudes {
      inputContinuation.yield(EnrichedLocation(.at(latitude, 2)))
    }
    if ends { inputContinuation.finish() }
    return Task { [delivered, reported, input] in
      try await stage.run(
        input, deliver: { delivered.record($0) },
        report: { if let event = $0 as? ErrorEvent { reported.record(event) } })
    }
  }

  private func findings() -> [String] {
    delivered.events.map { value in
      (value.enrichment(of: ExecEnrichment.self)?.findings ?? []).map {
        $0.source + String(decoding: $0.json, as: UTF8.self)
      }.joined(separator: " ")
    }
  }

  @Test func `the documentation's Python example adds the hemisphere`() async throws {
    let script = try ExecScript()
    try script.folder.write("stage.py", try documentedExample("python"))
    let stage = stage(ExecCommand(["/usr/bin/python3", script.folder.path + "/stage.py"]), clock: ContinuousClock())
    try await run(stage, [51, -33, 0]).value
    #expect(
      findings() == [
        #"exec{"hemisphere":"north"}"#, #"exec{"hemisphere":"south"}"#,
        #"exec{"hemisphere":"north"}"#,
      ])
    #expect(reported.events.isEmpty)
    #expect(stage.counts == ExecCounts())
  }

  @Test func `the data of an exec stage is written as a JSON line`() throws {
    var value = EnrichedLocation(.at(1, 2))
    var enrichment = ExecEnrichment()
    enrichment.findings = [.init(source: "a\"b", json: Array(#"{"c":1}"#.utf8))]
    value.add(enrichment)
    var encoder = EventEncoder()
    let line = encoder.encode(EnrichedEvent(value), now: nil, utcNow: nil)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"class":"ENRICHED","source":"a\"b","lat":1.000000000,"lon":2.000000000,"#
        + "\"data\":{\"c\":1}}\n")
  }

  @Test func `an exec stage delivers a location unchanged after an error or a reply without data`() async throws {
    let script = try ExecScript()
    let command = try script.command(
      ExecScript.hello
        + """
        read hello
        read a; echo '{"class":"ERROR","id":1,"message":"no map"}'
        read b; echo '{"class":"ENRICHED","id":2}'
        cat >/dev/null
        """)
    try await run(stage(command, clock: ContinuousClock()), [1, 2]).value
    #expect(findings() == ["", ""])
    #expect(reported.events == [ErrorEvent(source: "exec", message: "no map")])
  }

  @Test func `a late reply of a program is dropped and counted, and is not used for the next location`() async throws {
    let script = try ExecScript()
    let command = try script.command(
      ExecScript.hello
        + """
        read hello; read a; echo one >&2; read b
        echo '{"class":"ENRICHED","id":1,"data":"old"}'
        echo '{"class":"ENRICHED","id":2,"data":"new"}'
        echo '{"class":"ENRICHED","id":2,"data":"twice"}'
        cat >/dev/null
        """)
    let clock = ManualClock()
    let stage = ExecStage(
      command: command, clock: clock, now: { .at(0) },
      logLine: { [notices = script.notices] in notices.record($0) })
    let task = run(stage, [1, 2], ends: false)
    await script.waitForLine("one")
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    await delivered.wait(for: 2)
    inputContinuation.finish()
    try await task.value
    #expect(findings() == ["", #"exec"new""#])
    #expect(stage.counts.lateReplies == 2)
    #expect(reported.events == [ErrorEvent(source: "exec", message: "no reply within 10.0 s")])
  }

  @Test func `a stage reports its program's exit status, and delivers no data for unanswered locations`() async throws {
    let script = try ExecScript()
    let command = try script.command(
      ExecScript.hello
        + "read hello; read a; echo '{\"class\":\"ENRICHED\",\"id\":1,\"data\":1}'; read b; exit 9")
    let task = run(stage(command, clock: ContinuousClock()), [1, 2, 3])
    let error = await #expect(throws: PluginError.self) { try await task.value }
    #expect(error?.why == "it ended with exit code 9")
    #expect(findings() == ["exec1"])
  }

  @Test func `a cancelled stage ends its program and does not report a missing reply`() async throws {
    let script = try ExecScript()
    let command = try script.command(
      ExecScript.hello + "read hello; read a; echo got it >&2; echo $$ >\"$FOLDER/pid\"; cat")
    let notices = EventRecorder<String>()
    let stage = ExecStage(command: command, now: { .at(0) }, logLine: { notices.record($0) })
    let task = run(stage, [1], ends: false)
    await notices.wait(for: 1)
    task.cancel()
    _ = await task.result
    #expect(delivered.events.count <= 1)
    #expect(findings().allSatisfy { $0.isEmpty })
    #expect(reported.events.isEmpty)
  }
}
