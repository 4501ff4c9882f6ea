// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Positioning
import Receivers
import Testing

@testable import Daemon

@Suite("Sources of the daemon", .timeLimit(.minutes(5)))
struct DaemonSourcesTests {
  /// Sources on a manual clock.
  private final class Fixture: Sendable {
    let source = FakeSource()
    let clock = ManualClock()
    let notices = EventRecorder<DaemonLogEvent>()
    let delivered = EventRecorder<FixSourceEvent>()
    /// The name delivered with each event.
    let names = EventRecorder<String>()
    let sources: DaemonSources

    init(_ toml: String = Fixture.simulated, change: (inout SourceFactory) -> Void = { _ in }) throws {
      let (notices, delivered, names) = (notices, delivered, names)
      let timing = PipelineEnvironment(clock: clock)
      var factory = source.factory
      factory.environment.localGPSD = nil
      factory.environment.discover = { _, deliver in deliver(.settled) }
      (factory.environment.clock, factory.environment.now) = (clock, timing.now)
      change(&factory)
      sources = DaemonSources(
        try DaemonConfiguration.toml(toml).sources, factory: factory, now: timing.now,
        deliver: { event, name in
          names.record(name)
          delivered.record(event)
        }, report: { notices.record($0) })
    }

    static let simulated = "[[source]]\ntype = \"simulated\"\n"

    static func replay(_ file: String) -> String {
      "[[source]]\ntype = \"replay\"\nfile = \"\(file)\"\n"
    }

    static func port(_ name: String) -> String {
      "[[source]]\ntype = \"serial\"\ndevice = \"/dev/nowhere-\(name)\"\n"
    }

    func apply(_ toml: String) throws {
      sources.apply(try DaemonConfiguration.toml(toml).sources)
    }

    var losses: [String?] {
      delivered.events.compactMap { event in
        if case .lost(let loss) = event { loss.detail } else { nil }
      }
    }

    /// Makes the source deliver a fix and fail, and waits until the source runs again.
    func failAndReopen(_ number: Int, _ reason: String) async {
      source.send(.deliver(.fix(DaemonSourcesTests.fix)))
      source.send(.fail(reason))
      await delivered.wait { $0.count { $0.loss != nil } == number }
      while source.log.events.count(where: { $0.hasPrefix("open") }) <= number {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
  }

  /// Runs the sources while `body` runs.
  private func withRunning(_ fixture: Fixture, _ body: () async throws -> Void) async rethrows {
    let running = Task { await fixture.sources.run() }
    defer { running.cancel() }
    try await body()
  }

  private static let fix = Fix.at(51.5, mode: .twoDimensional)

  @Test func `a failed source is restarted with back-off, and each failure is counted once`() async throws {
    let fixture = try Fixture()
    await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      #expect(fixture.sources.status.state == .running)
      for number in 1...3 { await fixture.failAndReopen(number, "unplugged \(number)") }
      let status = fixture.sources.status
      #expect(status.state == .waiting && status.errorCount == 3)
      #expect(status.diagnosis.restartCount == 3)
      #expect(status.lastError?.hasSuffix("unplugged 3") == true)
      fixture.source.send(.deliver(.fix(Self.fix)))
      await fixture.delivered.wait { $0.count { $0.fix != nil } >= 4 }
      #expect(fixture.sources.status.state == .running)
    }
    #expect(fixture.losses == (1...3).map { "unplugged \($0)" })
    #expect(fixture.notices.events.isEmpty)
  }

  @Test func `the end of a recording is logged once, and the recording is not restarted`() async throws {
    let fixture = try Fixture(Fixture.replay("/a.nmea"))
    let running = Task { await fixture.sources.run() }
    await fixture.source.waitUntilOpened(1)
    fixture.source.send(.end)
    await fixture.notices.wait(for: 1)
    #expect(fixture.notices.events == [.sourceEnded(name: "/a.nmea")])
    #expect(fixture.sources.status.state == .stopped)
    #expect(fixture.sources.status.errorCount == 0)
    running.cancel()
    await running.value
    #expect(fixture.source.log.events == ["open /a.nmea", "close /a.nmea"])
    #expect(fixture.notices.events.count == 1)
  }

  @Test func `a reload keeps a source whose settings are the same, and replaces other sources`() async throws {
    let fixture = try Fixture(Fixture.replay("/a.nmea"))
    try await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      try fixture.apply(Fixture.replay("/a.nmea"))
      try fixture.apply(Fixture.replay("/b.nmea"))
      await fixture.source.waitUntilOpened(2)
      let log = await fixture.source.log.wait(for: 3)
      #expect(Set(log) == ["open /a.nmea", "close /a.nmea", "open /b.nmea"])
      #expect(fixture.sources.status.name == "/b.nmea")
      #expect(fixture.sources.status.state == .running)
      #expect(fixture.notices.events.isEmpty)
    }
  }

  @Test func `a source keeps running while other sources are added and removed`() async throws {
    let fixture = try Fixture(Fixture.simulated + Fixture.port("a"))
    try await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      try fixture.apply(Fixture.port("b") + Fixture.simulated + Fixture.replay("/b.nmea"))
      #expect(fixture.sources.status.name == "/dev/nowhere-b, simulated, /b.nmea")
      await fixture.source.waitUntilOpened(2)
      try fixture.apply(Fixture.simulated + Fixture.port("b"))
      await fixture.source.log.wait(for: 3)
      try fixture.apply(Fixture.simulated)
      #expect(fixture.source.log.events == ["open simulated", "open /b.nmea", "close /b.nmea"])
      #expect(fixture.sources.status.name == "simulated")
      try fixture.apply(Fixture.replay("/c.nmea") + Fixture.simulated)
      await fixture.source.waitUntilOpened(3)
      #expect(fixture.source.log.events.last == "open /c.nmea")
      fixture.source.send(.deliver(.fix(Self.fix)))
      await fixture.delivered.wait { $0.last?.fix != nil }
      #expect(fixture.names.events.last == "/c.nmea, simulated")
    }
  }

  @Test func `a source that cannot be created is retried while the other sources run`() async throws {
    let fixture = try Fixture(Fixture.simulated) {
      $0.replay = { _, _, _ in throw FakeSource.Failure(description: "no such file") }
    }
    try await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      try fixture.apply(Fixture.simulated + Fixture.replay("/b.nmea"))
      while fixture.sources.status.diagnosis.restartCount < 2 {
        await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        await Task.yield()
      }
      #expect(fixture.sources.status.diagnosis.notices == ["no such file"])
      #expect(fixture.source.log.events == ["open simulated"])
      #expect(fixture.sources.status.name == "simulated, replay:/b.nmea")
    }
  }

  @Test func `removing a source on reload is not an error, and clears the time of its last fix`() async throws {
    let fixture = try Fixture(Fixture.simulated + Fixture.port("a"))
    try await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      fixture.source.send(.deliver(.fix(Self.fix)))
      await fixture.delivered.wait { $0.contains { $0.fix != nil } }
      let before = fixture.sources.status
      #expect(before.lastFixAt != nil)
      try fixture.apply("[[source]]\ntype = \"auto\"\n")
      await fixture.delivered.wait { $0.contains { $0.loss?.detail == SourceGroup.removalDetail } }
      let status = fixture.sources.status
      #expect(status.name == "auto" && status.state == .running)
      #expect(status.lastFixAt == nil && status.lastError == nil)
      #expect(status.errorCount == before.errorCount)
    }
  }

  @Test(arguments: [
    "pi", "localhost", "pi.local.", "127.0.0.1", "::1", "fe80::1%eth0", "fe80::1%", "::zz", "",
    "my host", "[pi]", "pi]", "::1]", "1:2:3", String(repeating: "a", count: 253),
    String(repeating: "a", count: 254),
  ])
  func `the configuration accepts exactly the gpsd hosts that can be opened`(host: String) throws {
    let toml = "[[source]]\ntype = \"gpsd\"\nhost = \"\(host)\"\n"
    let isAccepted = (try? DaemonConfiguration.toml(toml)) != nil
    #expect(isAccepted == (GPSDAddress(host: host) != nil))
  }

  @Test func `a source that is renamed in the configuration is not restarted`() async throws {
    let fixture = try Fixture()
    try await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      try fixture.apply(Fixture.simulated + "name = \"roof\"\n")
      fixture.source.send(.deliver(.fix(Self.fix)))
      await fixture.delivered.wait(for: 1)
      #expect(fixture.source.log.events == ["open simulated"] && fixture.losses.isEmpty)
    }
  }

  @Test
  func `a reload opens a new source at once, even if the old source has ended or waits to restart`() async throws {
    for step in [FakeSource.Step.end, .fail("unplugged")] {
      let fixture = try Fixture(Fixture.replay("/a.nmea"))
      try await withRunning(fixture) {
        await fixture.source.waitUntilOpened(1)
        fixture.source.send(step)
        await fixture.source.log.wait(for: 2)
        try fixture.apply(Fixture.replay("/b.nmea"))
        await fixture.source.waitUntilOpened(2)
        #expect(fixture.source.log.events.last == "open /b.nmea")
        #expect(fixture.sources.status.name == "/b.nmea")
      }
    }
  }

  @Test func `cancelling the task that runs the sources closes all sources`() async throws {
    let fixture = try Fixture()
    let running = Task { await fixture.sources.run() }
    await fixture.source.waitUntilOpened(1)
    running.cancel()
    await running.value
    #expect(fixture.source.log.events == ["open simulated", "close simulated"])
    #expect(fixture.sources.status.state == .stopped)
    #expect(fixture.notices.events.isEmpty)
  }

  @Test func `the time of the last fix ignores fixes without a position`() async throws {
    let fixture = try Fixture()
    await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      fixture.clock.advance(by: .seconds(7))
      fixture.source.send(.deliver(.fix(Fix(mode: .none))))
      fixture.source.send(.deliver(.lost(SourceLoss(.silent))))
      await fixture.delivered.wait(for: 2)
      #expect(fixture.sources.status.lastFixAt == nil)
      fixture.source.send(.deliver(.fix(Self.fix)))
      await fixture.delivered.wait(for: 3)
      #expect(fixture.sources.status.lastFixAt == .at(7))
    }
  }

  @Test func `a source that loses its receiver reports the error, waits, and resumes at the next epoch`() async throws {
    let fixture = try Fixture()
    await withRunning(fixture) {
      await fixture.source.waitUntilOpened(1)
      fixture.source.send(.deliver(.fix(Fix(mode: .none))))
      fixture.source.send(.deliver(.lost(SourceLoss(.deactivated))))
      await fixture.delivered.wait(for: 2)
      #expect(fixture.sources.status.state == .waiting)
      #expect(fixture.sources.status.lastError?.contains("the receiver is gone") == true)
      fixture.source.send(.deliver(.fix(Fix(mode: .none))))
      await fixture.delivered.wait(for: 3)
      #expect(fixture.sources.status.state == .running)
    }
  }

  @Test func `the daemon never uses itself as a source`() async throws {
    let (daemonCalls, discovered) = (EventRecorder<String>(), EventRecorder<String>())
    let fixture = try Fixture("[[source]]\ntype = \"auto\"\n") {
      $0.environment.localGPSD = nil
      $0.environment.discover = { _, deliver in
        discovered.record("plugged in")
        deliver(.settled)
      }
      $0.daemon = {
        daemonCalls.record("daemon")
        return nil
      }
    }
    await withRunning(fixture) { await discovered.wait(for: 1) }
    #expect(discovered.events.count == 1 && daemonCalls.events.isEmpty)
  }
}

extension FixSourceEvent {
  fileprivate var fix: Fix? { if case .fix(let fix) = self { fix } else { nil } }
  fileprivate var loss: SourceLoss? { if case .lost(let loss) = self { loss } else { nil } }
}
