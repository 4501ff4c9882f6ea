// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Positioning
import Receivers
import Testing

@testable import Bridge

@Suite("The daemon's sources", .timeLimit(.minutes(5)))
struct DaemonSourcesTests {
  /// Sources on a clock that a test moves.
  private final class World: Sendable {
    let desk = SourceDesk()
    let clock = ManualClock()
    let notices = EventRecorder<DaemonNotice>()
    let delivered = EventRecorder<FixSourceEvent>()
    let sources: DaemonSources

    init(
      _ toml: String = World.simulated,
      change: (inout SourceFactory) -> Void = { _ in }
    ) throws {
      let (notices, delivered) = (notices, delivered)
      var factory = desk.factory
      change(&factory)
      sources = DaemonSources(
        try DaemonConfiguration.toml(toml).sources, factory: factory,
        environment: PipelineEnvironment(clock: clock),
        deliver: { event, _ in delivered.record(event) }, report: { notices.record($0) })
    }

    static let simulated = "[[source]]\ntype = \"simulated\"\n"

    static func replay(_ file: String) -> String {
      "[[source]]\ntype = \"replay\"\nfile = \"\(file)\"\n"
    }

    /// How long each failure is waited for.
    var delays: [Duration] {
      notices.events.compactMap {
        if case .sourceFailed(_, _, let again, _) = $0 { again } else { nil }
      }
    }

    /// Lets the source fail, and waits until it runs again.
    func failAndReopen(_ number: Int) async {
      desk.tell(.fail("unplugged"))
      await notices.wait(for: number)
      await clock.waitForSleepers()
      clock.advanceToNextDeadline()
      await desk.opened(number + 1)
    }
  }

  /// Runs the sources as long as the body takes.
  private func with(_ world: World, _ body: () async throws -> Void) async rethrows {
    let running = Task { await world.sources.run() }
    defer { running.cancel() }
    try await body()
  }

  @Test("one that fails is run again after a wait that grows, and all of it is counted")
  func failure() async throws {
    let world = try World()
    await with(world) {
      await world.desk.opened(1)
      #expect(world.sources.standing.state == .running)
      world.desk.tell(.fail("unplugged"))
      await world.notices.wait(for: 1)
      await world.clock.waitForSleepers()
      let waiting = world.sources.standing
      #expect(waiting.state == .waiting)
      #expect(waiting.errorCount == 1 && waiting.restartCount == 0)
      #expect(waiting.lastError == "unplugged")
      #expect(world.desk.log.events == ["open simulated", "close simulated"])
      world.clock.advanceToNextDeadline()
      await world.desk.opened(2)
      for number in 2...3 { await world.failAndReopen(number) }
      let standing = world.sources.standing
      #expect(standing.state == .running)
      #expect(standing.errorCount == 3 && standing.restartCount == 3)
      for (delay, most) in zip(world.delays, [1, 2, 4]) {
        #expect(delay <= .seconds(most) && delay >= .seconds(most) / 2)
      }
      #expect(world.delays.count == 3)
    }
  }

  @Test("after a minute without fault the wait begins anew; a moment earlier it goes on growing")
  func healthy() async throws {
    for (ran, most) in [(60, 1), (59, 4)] {
      let world = try World()
      try await with(world) {
        await world.desk.opened(1)
        for number in 1...2 { await world.failAndReopen(number) }
        world.clock.advance(by: .seconds(ran))
        await world.failAndReopen(3)
        let last = try #require(world.delays.last)
        #expect(last <= .seconds(most) && last >= .seconds(most) / 2)
      }
    }
  }

  @Test("a recording that has ended is said once and not played again")
  func recording() async throws {
    let world = try World(World.replay("/a.nmea"))
    let running = Task { await world.sources.run() }
    await world.desk.opened(1)
    world.desk.tell(.end)
    await world.notices.wait(for: 1)
    #expect(world.notices.events == [.sourceEnded(name: "/a.nmea")])
    #expect(world.sources.standing.state == .stopped)
    #expect(world.sources.standing.errorCount == 0)
    running.cancel()
    await running.value
    #expect(world.desk.log.events == ["open /a.nmea", "close /a.nmea"])
    #expect(world.notices.events.count == 1)
  }

  @Test("the same settings disturb nothing; others close the first before the second is opened")
  func apply() async throws {
    let world = try World(World.replay("/a.nmea"))
    try await with(world) {
      await world.desk.opened(1)
      world.sources.apply(try DaemonConfiguration.toml(World.replay("/a.nmea")).sources)
      world.sources.apply(try DaemonConfiguration.toml(World.replay("/b.nmea")).sources)
      await world.desk.opened(2)
      #expect(world.desk.log.events == ["open /a.nmea", "close /a.nmea", "open /b.nmea"])
      #expect(world.sources.standing.name == "/b.nmea")
      #expect(world.sources.standing.state == .running)
      #expect(world.notices.events.isEmpty)
    }
  }

  @Test("what was said is taken back when others are opened in its place, where anything was")
  func takesBackForOthers() async throws {
    let world = try World()
    try await with(world) {
      await world.desk.opened(1)
      world.sources.apply(try DaemonConfiguration.toml(World.replay("/a.nmea")).sources)
      await world.desk.opened(2)
      world.desk.tell(.say(.fix(Fix(mode: .none))))
      await world.delivered.wait(for: 1)
      world.sources.apply(try DaemonConfiguration.toml(World.replay("/b.nmea")).sources)
      await world.desk.opened(3)
      world.desk.tell(.say(.fix(Fix(mode: .twoDimensional))))
      let all = await world.delivered.wait(for: 3)
      let loss = SourceLoss(.deactivated, detail: "the configuration names other sources")
      #expect(
        all == [.fix(Fix(mode: .none)), .lost(loss), .fix(Fix(mode: .twoDimensional))])
    }
  }

  @Test("of several, one that is named as before goes on; alone, it is opened anew")
  func replaces() async throws {
    let ports = ["/dev/nowhere-a", "/dev/nowhere-b"].map {
      "[[source]]\ntype = \"serial\"\ndevice = \"\($0)\"\n"
    }
    let world = try World(World.simulated + ports[0]) {
      $0.surroundings.discover = { _, deliver in deliver(.settled) }
    }
    try await with(world) {
      await world.desk.opened(1)
      world.sources.apply(
        try DaemonConfiguration.toml(ports[1] + World.simulated + World.replay("/b.nmea")).sources)
      #expect(world.sources.standing.name == "/dev/nowhere-b, simulated, /b.nmea")
      await world.desk.opened(2)
      world.sources.apply(try DaemonConfiguration.toml(World.simulated + ports[1]).sources)
      await world.desk.log.wait(for: 3)
      #expect(world.desk.log.events == ["open simulated", "open /b.nmea", "close /b.nmea"])
      #expect(world.sources.standing.name == "simulated, /dev/nowhere-b")
      world.sources.apply(try DaemonConfiguration.toml(World.simulated).sources)
      await world.desk.opened(3)
      #expect(world.desk.log.events.suffix(2) == ["close simulated", "open simulated"])
      #expect(world.sources.standing.restartCount == 0)
      #expect(!world.notices.events.contains { $0.isFailure })
    }
  }

  @Test("where one cannot be had what runs goes on, why is told, and the next time it is tried")
  func cannotReplace() async throws {
    let (asked, port) = (
      EventRecorder<String>(), "[[source]]\ntype = \"serial\"\ndevice = \"/dev/nowhere\"\n"
    )
    let world = try World(World.simulated + port) {
      let make = $0.replay
      $0.surroundings.discover = { _, deliver in deliver(.settled) }
      $0.replay = { file, pace, caughtUp in
        asked.record(file)
        if asked.events.count < 3 { throw SourceDesk.Failure(description: "no such file") }
        return try make(file, pace, caughtUp)
      }
    }
    try await with(world) {
      await world.desk.opened(1)
      let before = try DaemonConfiguration.toml(World.simulated + port).sources
      let after = World.simulated + port + World.replay("/b.nmea")
      for count in 1...2 {
        world.sources.apply(try DaemonConfiguration.toml(after).sources)
        // What runs already is no other.
        world.sources.apply(before)
        #expect(
          world.notices.events
            == Array(repeating: .sourcesNotChanged(reason: "no such file"), count: count))
        #expect(world.sources.standing.lastError == "no such file")
        #expect(world.sources.standing.name == "simulated, /dev/nowhere")
        #expect(world.sources.standing.errorCount == UInt64(count))
      }
      world.sources.apply(try DaemonConfiguration.toml(after).sources)
      await world.desk.opened(2)
      #expect(world.sources.standing.name == "simulated, /dev/nowhere, /b.nmea")
      #expect(world.desk.log.events == ["open simulated", "open /b.nmea"])
      #expect(asked.events.count == 3 && world.notices.events.count == 2)
    }
    let notice = DaemonNotice.sourcesNotChanged(reason: "no such file")
    #expect(notice.level == .warning)
    #expect(notice.lines == ["the sources stay as they were: no such file"])
  }

  @Test("a loss that other sources bring with them is told and no error, and the old fix is gone")
  func meantLoss() async throws {
    let port = "[[source]]\ntype = \"serial\"\ndevice = \"/dev/nowhere\"\n"
    let world = try World(World.simulated + port) {
      $0.surroundings.localGPSD = nil
      $0.surroundings.discover = { _, deliver in deliver(.settled) }
    }
    try await with(world) {
      await world.desk.opened(1)
      var fix = Fix(mode: .twoDimensional)
      fix.coordinate = .at(51.5, 0)
      world.desk.tell(.say(.fix(fix)))
      await world.delivered.wait { $0.contains { $0.fix != nil } }
      let before = world.sources.standing
      #expect(before.lastFixAt != nil)
      world.sources.apply(try DaemonConfiguration.toml("[[source]]\ntype = \"auto\"\n").sources)
      let losses = world.delivered.events.compactMap(\.loss)
      #expect(losses.map(\.detail).contains("it is no longer one of the sources"))
      let standing = world.sources.standing
      #expect(standing.name == "auto" && standing.state == .running)
      #expect(standing.lastFixAt == nil && standing.lastError == nil)
      #expect(standing.errorCount == before.errorCount)
      #expect(standing.session?.situation().hadReceiver == false)
    }
  }

  @Test(
    "a host that the configuration takes is one by which a gpsd is opened, and no other",
    arguments: [
      "pi", "localhost", "pi.local.", "127.0.0.1", "::1", "fe80::1%eth0", "fe80::1%", "::zz", "",
      "my host", "[pi]", "pi]", "::1]", "1:2:3", String(repeating: "a", count: 253),
      String(repeating: "a", count: 254),
    ])
  func hosts(host: String) throws {
    let toml = "[[source]]\ntype = \"gpsd\"\nhost = \"\(host)\"\n"
    let isTaken = (try? DaemonConfiguration.toml(toml)) != nil
    #expect(isTaken == (GPSDAddress(host: host) != nil))
  }

  @Test("another name for the same source disturbs nothing")
  func renamed() async throws {
    let world = try World()
    try await with(world) {
      await world.desk.opened(1)
      let renamed = World.simulated + "name = \"roof\"\n"
      world.sources.apply(try DaemonConfiguration.toml(renamed).sources)
      world.desk.tell(.fail("unplugged"))
      await world.notices.wait(for: 1)
      #expect(world.desk.log.events == ["open simulated", "close simulated"])
      #expect(world.sources.standing.errorCount == 1)
    }
  }

  @Test("others that come while a failed one waits are opened at once, and that is no restart")
  func applyWhileWaiting() async throws {
    let world = try World()
    try await with(world) {
      await world.desk.opened(1)
      world.desk.tell(.fail("unplugged"))
      await world.clock.waitForSleepers()
      world.sources.apply(try DaemonConfiguration.toml(World.replay("/b.nmea")).sources)
      await world.desk.opened(2)
      #expect(world.sources.standing.state == .running)
      #expect(world.sources.standing.errorCount == 1)
      #expect(world.sources.standing.restartCount == 0)
    }
  }

  @Test("cancelling closes them and ends the run")
  func cancel() async throws {
    let world = try World()
    let running = Task { await world.sources.run() }
    await world.desk.opened(1)
    running.cancel()
    await running.value
    #expect(world.desk.log.events == ["open simulated", "close simulated"])
    #expect(world.sources.standing.state == .stopped)
    #expect(world.notices.events.isEmpty)
  }

  @Test("the age of the fix counts from positions alone")
  func lastFix() async throws {
    let world = try World()
    await with(world) {
      await world.desk.opened(1)
      world.clock.advance(by: .seconds(7))
      world.desk.tell(.say(.fix(Fix(mode: .none))))
      world.desk.tell(.say(.lost(SourceLoss(.silent))))
      await world.delivered.wait(for: 2)
      #expect(world.sources.standing.lastFixAt == nil)
      var fix = Fix(mode: .twoDimensional)
      fix.coordinate = .at(51.5, 0)
      world.desk.tell(.say(.fix(fix)))
      await world.delivered.wait(for: 3)
      #expect(world.sources.standing.lastFixAt == MonotonicTime(nanoseconds: 7_000_000_000))
    }
  }

  @Test("one whose receiver is lost waits, says why, and runs again with its next epoch")
  func lost() async throws {
    let world = try World()
    await with(world) {
      await world.desk.opened(1)
      world.desk.tell(.say(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"))))
      await world.delivered.wait(for: 1)
      #expect(world.sources.standing.state == .waiting)
      #expect(world.sources.standing.lastError?.contains("the receiver is gone") == true)
      world.desk.tell(.say(.fix(Fix(mode: .none))))
      await world.delivered.wait(for: 2)
      #expect(world.sources.standing.state == .running)
    }
  }

  @Test("one that fails takes back what it said last, and its fix is no longer aged")
  func takesBack() async throws {
    let world = try World()
    await with(world) {
      await world.desk.opened(1)
      var fix = Fix(mode: .twoDimensional)
      fix.coordinate = .at(51.5, 0)
      world.desk.tell(.say(.fix(fix)))
      await world.delivered.wait(for: 1)
      await world.failAndReopen(1)
      let all = await world.delivered.wait(for: 2)
      guard case .lost(let loss) = all[1] else {
        Issue.record("\(all)")
        return
      }
      #expect(loss.detail == "unplugged")
      #expect(world.sources.standing.lastFixAt == nil)
    }
  }

  @Test("one that fails again in the same way is told once, and that it recovers as well")
  func tellsOnce() async throws {
    let world = try World()
    await with(world) {
      await world.desk.opened(1)
      for number in 1...3 { await world.failAndReopen(number) }
      world.desk.tell(.say(.fix(Fix(mode: .none))))
      await world.notices.wait(for: 4)
      world.desk.tell(.say(.fix(Fix(mode: .none))))
      world.desk.tell(.fail("unplugged"))
      await world.notices.wait(for: 5)
      await world.clock.waitForSleepers()
      world.clock.advanceToNextDeadline()
      await world.desk.opened(5)
      world.desk.tell(.fail("no power"))
      let notices = await world.notices.wait(for: 6)
      #expect(
        notices.map(\.level) == [.warning, .info, .info, .notice, .warning, .warning])
      await world.delivered.wait(for: 5)
      #expect(notices[3] == .sourceRecovered(name: "simulated"))
      #expect(notices[3].lines == ["source simulated has recovered: fixes come again"])
    }
    // Each failure that took something back, or has another reason, and no other.
    let losses = world.delivered.events.compactMap { event in
      if case .lost(let loss) = event { loss.detail } else { nil }
    }
    #expect(losses == ["unplugged", "unplugged", "no power"])
  }

  @Test("one that cannot even be made is named as the configuration names it")
  func cannotBeMade() async throws {
    let world = try World("[[source]]\nname = \"roof\"\ntype = \"simulated\"\n") {
      $0.simulated = { throw SourceDesk.Failure(description: "no pty") }
    }
    await with(world) {
      await world.notices.wait(for: 1)
      guard case .sourceFailed(let name, let reason, _, _)? = world.notices.events.first else {
        Issue.record("\(world.notices.events)")
        return
      }
      #expect(name == "roof" && reason == "no pty")
      #expect(world.sources.standing.name == "roof")
    }
  }

  @Test("the daemon never takes itself for a source")
  func notItself() async throws {
    let (asked, looked) = (EventRecorder<String>(), EventRecorder<String>())
    let world = try World("[[source]]\ntype = \"auto\"\n") {
      $0.surroundings.localGPSD = nil
      $0.surroundings.discover = { _, deliver in
        looked.record("plugged in")
        deliver(.settled)
      }
      $0.daemon = {
        asked.record("daemon")
        return nil
      }
    }
    await with(world) { await looked.wait(for: 1) }
    #expect(looked.events.count == 1 && asked.events.isEmpty)
  }
}

extension FixSourceEvent {
  fileprivate var fix: Fix? { if case .fix(let fix) = self { fix } else { nil } }
  fileprivate var loss: SourceLoss? { if case .lost(let loss) = self { loss } else { nil } }
}

extension DaemonNotice {
  fileprivate var isFailure: Bool { if case .sourceFailed = self { true } else { false } }
}
