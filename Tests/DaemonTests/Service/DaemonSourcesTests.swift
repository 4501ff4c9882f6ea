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
  private final class World: Sendable {
    let stub = SourceStub()
    let clock = ManualClock()
    let notices = EventRecorder<DaemonLogEvent>()
    let delivered = EventRecorder<FixSourceEvent>()
    let sources: DaemonSources

    init(
      _ toml: String = World.simulated,
      change: (inout SourceFactory) -> Void = { _ in }
    ) throws {
      let (notices, delivered) = (notices, delivered)
      let timing = PipelineEnvironment(clock: clock)
      var factory = stub.factory
      factory.environment.localGPSD = nil
      factory.environment.discover = { _, deliver in deliver(.settled) }
      (factory.environment.clock, factory.environment.now) = (clock, timing.now)
      change(&factory)
      sources = DaemonSources(
        try DaemonConfiguration.toml(toml).sources, factory: factory, now: timing.now,
        deliver: { event, _ in delivered.record(event) }, report: { notices.record($0) })
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
      stub.send(.deliver(.fix(DaemonSourcesTests.fix)))
      stub.send(.fail(reason))
      await delivered.wait { $0.count { $0.loss != nil } == number }
      while stub.log.events.count(where: { $0.hasPrefix("open") }) <= number {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
  }

  /// Runs the sources while `body` runs.
  private func withRunning(_ world: World, _ body: () async throws -> Void) async rethrows {
    let running = Task { await world.sources.run() }
    defer { running.cancel() }
    try await body()
  }

  private static let fix = Fix.at(51.5, mode: .twoDimensional)

  @Test func `a failed source is restarted with back-off, and each failure is counted once`() async throws {
    let world = try World()
    await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      #expect(world.sources.status.state == .running)
      for number in 1...3 { await world.failAndReopen(number, "unplugged \(number)") }
      let status = world.sources.status
      #expect(status.state == .waiting && status.errorCount == 3)
      #expect(status.diagnosis.restartCount == 3)
      #expect(status.lastError?.hasSuffix("unplugged 3") == true)
      world.stub.send(.deliver(.fix(Self.fix)))
      await world.delivered.wait { $0.count { $0.fix != nil } >= 4 }
      #expect(world.sources.status.state == .running)
    }
    #expect(world.losses == (1...3).map { "unplugged \($0)" })
    #expect(world.notices.events.isEmpty)
  }

  @Test func `the end of a recording is logged once, and the recording is not restarted`() async throws {
    let world = try World(World.replay("/a.nmea"))
    let running = Task { await world.sources.run() }
    await world.stub.waitUntilOpened(1)
    world.stub.send(.end)
    await world.notices.wait(for: 1)
    #expect(world.notices.events == [.sourceEnded(name: "/a.nmea")])
    #expect(world.sources.status.state == .stopped)
    #expect(world.sources.status.errorCount == 0)
    running.cancel()
    await running.value
    #expect(world.stub.log.events == ["open /a.nmea", "close /a.nmea"])
    #expect(world.notices.events.count == 1)
  }

  @Test func `a reload keeps a source whose settings are the same, and replaces other sources`() async throws {
    let world = try World(World.replay("/a.nmea"))
    try await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      try world.apply(World.replay("/a.nmea"))
      try world.apply(World.replay("/b.nmea"))
      await world.stub.waitUntilOpened(2)
      let log = await world.stub.log.wait(for: 3)
      #expect(Set(log) == ["open /a.nmea", "close /a.nmea", "open /b.nmea"])
      #expect(world.sources.status.name == "/b.nmea")
      #expect(world.sources.status.state == .running)
      #expect(world.notices.events.isEmpty)
    }
  }

  @Test func `a source keeps running while other sources are added and removed`() async throws {
    let world = try World(World.simulated + World.port("a"))
    try await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      try world.apply(World.port("b") + World.simulated + World.replay("/b.nmea"))
      #expect(world.sources.status.name == "/dev/nowhere-b, simulated, /b.nmea")
      await world.stub.waitUntilOpened(2)
      try world.apply(World.simulated + World.port("b"))
      await world.stub.log.wait(for: 3)
      try world.apply(World.simulated)
      #expect(world.stub.log.events == ["open simulated", "open /b.nmea", "close /b.nmea"])
      #expect(world.sources.status.name == "simulated")
      try world.apply(World.replay("/c.nmea") + World.simulated)
      await world.stub.waitUntilOpened(3)
      #expect(world.stub.log.events.last == "open /c.nmea")
    }
  }

  @Test func `a source that cannot be created is retried while the other sources run`() async throws {
    let world = try World(World.simulated) {
      $0.replay = { _, _, _ in throw SourceStub.Failure(description: "no such file") }
    }
    try await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      try world.apply(World.simulated + World.replay("/b.nmea"))
      while world.sources.status.diagnosis.restartCount < 2 {
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(1))
        await Task.yield()
      }
      #expect(world.sources.status.diagnosis.notices == ["no such file"])
      #expect(world.stub.log.events == ["open simulated"])
      #expect(world.sources.status.name == "simulated, replay:/b.nmea")
    }
  }

  @Test func `removing a source on reload is not an error, and clears the time of its last fix`() async throws {
    let world = try World(World.simulated + World.port("a"))
    try await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      world.stub.send(.deliver(.fix(Self.fix)))
      await world.delivered.wait { $0.contains { $0.fix != nil } }
      let before = world.sources.status
      #expect(before.lastFixAt != nil)
      try world.apply("[[source]]\ntype = \"auto\"\n")
      await world.delivered.wait { $0.contains { $0.loss?.detail == SourceGroup.removalDetail } }
      let status = world.sources.status
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
    let world = try World()
    try await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      try world.apply(World.simulated + "name = \"roof\"\n")
      world.stub.send(.deliver(.fix(Self.fix)))
      await world.delivered.wait(for: 1)
      #expect(world.stub.log.events == ["open simulated"] && world.losses.isEmpty)
    }
  }

  @Test
  func `a reload opens a new source at once, even if the old source has ended or waits to restart`() async throws {
    for step in [SourceStub.Step.end, .fail("unplugged")] {
      let world = try World(World.replay("/a.nmea"))
      try await withRunning(world) {
        await world.stub.waitUntilOpened(1)
        world.stub.send(step)
        await world.stub.log.wait(for: 2)
        try world.apply(World.replay("/b.nmea"))
        await world.stub.waitUntilOpened(2)
        #expect(world.stub.log.events.last == "open /b.nmea")
        #expect(world.sources.status.name == "/b.nmea")
      }
    }
  }

  @Test func `cancelling the task that runs the sources closes all sources`() async throws {
    let world = try World()
    let running = Task { await world.sources.run() }
    await world.stub.waitUntilOpened(1)
    running.cancel()
    await running.value
    #expect(world.stub.log.events == ["open simulated", "close simulated"])
    #expect(world.sources.status.state == .stopped)
    #expect(world.notices.events.isEmpty)
  }

  @Test func `the time of the last fix ignores fixes without a position`() async throws {
    let world = try World()
    await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      world.clock.advance(by: .seconds(7))
      world.stub.send(.deliver(.fix(Fix(mode: .none))))
      world.stub.send(.deliver(.lost(SourceLoss(.silent))))
      await world.delivered.wait(for: 2)
      #expect(world.sources.status.lastFixAt == nil)
      world.stub.send(.deliver(.fix(Self.fix)))
      await world.delivered.wait(for: 3)
      #expect(world.sources.status.lastFixAt == .at(7))
    }
  }

  @Test func `a source that loses its receiver reports the error, waits, and resumes at the next epoch`() async throws {
    let world = try World()
    await withRunning(world) {
      await world.stub.waitUntilOpened(1)
      world.stub.send(.deliver(.fix(Fix(mode: .none))))
      world.stub.send(.deliver(.lost(SourceLoss(.deactivated))))
      await world.delivered.wait(for: 2)
      #expect(world.sources.status.state == .waiting)
      #expect(world.sources.status.lastError?.contains("the receiver is gone") == true)
      world.stub.send(.deliver(.fix(Fix(mode: .none))))
      await world.delivered.wait(for: 3)
      #expect(world.sources.status.state == .running)
    }
  }

  @Test func `the daemon never uses itself as a source`() async throws {
    let (daemonCalls, discovered) = (EventRecorder<String>(), EventRecorder<String>())
    let world = try World("[[source]]\ntype = \"auto\"\n") {
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
    await withRunning(world) { await discovered.wait(for: 1) }
    #expect(discovered.events.count == 1 && daemonCalls.events.isEmpty)
  }
}

extension FixSourceEvent {
  fileprivate var fix: Fix? { if case .fix(let fix) = self { fix } else { nil } }
  fileprivate var loss: SourceLoss? { if case .lost(let loss) = self { loss } else { nil } }
}
