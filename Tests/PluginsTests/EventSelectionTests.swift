// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherFeature

@testable import Plugins

@Suite("Classes and interval of sinks")
struct EventSelectionTests {
  private static func location(_ second: Int64) -> LocationEvent {
    LocationEvent(.at(1, 2, time: .noon(plus: second)))
  }

  private static func sky(_ second: Int64, _ device: String) -> SkyEvent {
    var sky = SkyView()
    sky.time = .noon(plus: second)
    return SkyEvent(sky, device: device)
  }

  private static func selection(_ entries: [SettingEntry]) throws -> EventSelection {
    try EventSelection(SettingsTable("sink", entries: entries))
  }

  /// Returns the classes of the lines that a JSON lines sink writes.
  private static func classes(_ events: [any PipelineEvent], _ entries: [SettingEntry]) async throws -> [String] {
    let folder = try ScratchFolder()
    let file = SettingEntry("file", .string(folder.path + "/lines"))
    let sink = try JSONLinesSink(SettingsTable("sink", entries: [file] + entries), PluginContext(now: { .at(0) }))
    try await sink.start()
    for event in events { try await sink.receive(event) }
    await sink.stop()
    return try folder.read("lines").split(separator: "\n").map { line in
      String(line.dropFirst(10).prefix { $0 != "\"" })
    }
  }

  private static let events: [any PipelineEvent] = [
    location(0), sky(0, "a"), NoFixEvent(Fix(mode: .none)),
    SourceEvent.receiver(ReceiverInfo(name: "a", isActive: true)),
    SourceEvent.lost(SourceLoss(.silent, receiver: "a"), source: "auto"),
    GateEvent(gate: "age", verdict: .passes, heldCount: 0),
    ErrorEvent(source: "a", message: "b"),
    OutlookEvent(WeatherOutlook(coordinate: .at(1, 2))),
  ]

  @Test func `without settings, all classes are output`() async throws {
    #expect(
      try await Self.classes(Self.events, [])
        == ["TPV", "SKY", "TPV", "DEVICE", "ERROR", "GATE", "ERROR", "WEATHER"])
  }

  @Test func `only the chosen classes are output`() async throws {
    let classes = SettingEntry("classes", .list([.string("TPV"), .string("WEATHER")]))
    #expect(try await Self.classes(Self.events, [classes]) == ["TPV", "TPV", "WEATHER"])
  }

  @Test(
    arguments: [
      (nil, ["ATT", "TPV", "ATT", "TPV", "TPV"]), ("TPV", ["TPV", "TPV", "TPV"]),
      ("ATT", ["ATT", "ATT"]), ("SKY", []),
    ] as [(String?, [String])])
  func `the heading of an epoch precedes its position, and has its own class`(chosen: String?, expected: [String])
    async throws
  {
    var fix = Fix.at(1, 2, mode: .twoDimensional) { $0.headingDegreesTrue = 224.19 }
    let location = try #require(Location(fix))
    fix.mode = .none
    let events: [any PipelineEvent] = [
      LocationEvent(location), NoFixEvent(fix), Self.location(0),
    ]
    let classes = chosen.map { SettingEntry("classes", .list([.string($0)])) }
    #expect(try await Self.classes(events, [classes].compactMap(\.self)) == expected)
  }

  @Test func `JSON lines have the ATT and MESSAGE objects of the other outputs`() {
    let fix = Fix.at(1, 2, mode: .twoDimensional) {
      ($0.headingDegreesTrue, $0.rollDegrees, $0.pitchDegrees, $0.source) = (224.19, -1.26, 0.83, "/dev/a")
    }
    let message = ReceiverMessage(antenna: .open)
    var (attitude, statement, encoder) = (JSONLine(), JSONLine(), EventEncoder())
    if let heading = Heading(fix) { attitude.appendATT(heading) }
    attitude.appendTPV(fix)
    statement.appendMESSAGE(message, device: "/dev/a")
    let events: [(any PipelineEvent, JSONLine)] = [
      (Location(fix).map { LocationEvent($0) } ?? NoFixEvent(fix), attitude),
      (SourceEvent.message(message, source: "/dev/a"), statement),
    ]
    for (event, line) in events {
      let bytes = encoder.encode(event, now: nil, utcNow: nil)
      #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: line.bytes, as: UTF8.self))
    }
  }

  @Test func `the interval applies to positions and to the satellites of each receiver`() throws {
    var selection = try Self.selection([SettingEntry("interval_seconds", .integer(10))])
    let positions = (0..<25).filter { selection.takes(Self.location(Int64($0))) }
    #expect(positions == [0, 10, 20])
    let skies = (0..<25).filter { second in
      let taken = ["a", "b"].map { selection.takes(Self.sky(Int64(second), $0)) }
      #expect(taken[0] == taken[1])
      return taken[0]
    }
    #expect(skies == [0, 10, 20])
    let takesError = selection.takes(ErrorEvent(source: "a", message: "b"))
    #expect(takesError)
  }

  @Test func `the loss of the position, and the first position after it, are not delayed`() throws {
    var selection = try Self.selection([SettingEntry("interval_seconds", .integer(10))])
    func noFix(_ second: Int64) -> NoFixEvent {
      var fix = Fix(mode: .none)
      fix.time = .noon(plus: second)
      return NoFixEvent(fix)
    }
    let events: [(any PipelineEvent, Bool)] = [
      (Self.location(0), true), (noFix(1), true), (noFix(2), false), (noFix(11), true),
      (Self.location(12), true), (Self.location(13), false),
    ]
    let taken = events.map { selection.takes($0.0) }
    #expect(taken == events.map(\.1))
  }

  @Test func `a program of exec gets only the chosen classes`() async throws {
    let folder = try ScratchFolder()
    let sink = try #require(
      PluginCatalog.plugin(.sink, "exec")?.specification(
        SettingsTable(
          "sink",
          entries: [
            SettingEntry("command", .list(["/bin/sh", "-c", "cat > \(folder.path)/lines"].map(SettingValue.string))),
            SettingEntry("hello", .boolean(false)),
            SettingEntry("classes", .list([.string("SKY")])),
          ]),
        PluginContext(now: { .at(0) })
      ).maker.make() as? any Sink)
    try await sink.start()
    for event in Self.events { try await sink.receive(event) }
    await sink.stop()
    let lines = try folder.read("lines").split(separator: "\n")
    #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix(#"{"class":"SKY""#) }, "\(lines)")
  }

  @Test func `an unknown class is an error that names the classes`() {
    let entry = SettingEntry("classes", .list([.string("TPW")]))
    let error = #expect(throws: SettingsError.self) { _ = try Self.selection([entry]) }
    #expect(error.map { "\($0)".contains("TPV") } == true)
  }
}
