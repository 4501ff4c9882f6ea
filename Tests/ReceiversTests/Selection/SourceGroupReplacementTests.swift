// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// A group on pseudo-terminals that is asked for other sources while it runs.
@Suite(.timeLimit(.minutes(1))) struct SourceGroupReplacementTests {
  /// A group with what it opens, what discovery was asked for, and what came of it all.
  private final class World: Sendable {
    let group: SourceGroup
    /// The devnode of each port that was opened, and its speed where one was given.
    let opened = EventRecorder<String>()
    /// What discovery was asked to use whatever it is, a set each time.
    let named = EventRecorder<Set<String>>()
    /// What devices were called from before, each time.
    let names = EventRecorder<[String: String]>()
    let events = EventRecorder<FixSourceEvent>()
    private let running: Task<Void, any Error>

    /// - Parameters:
    ///   - members: The sources to begin with.
    ///   - isRealPort: Whether ports are opened, and not only asked for.
    ///   - present: What discovery tells each time; the last for all times after.
    init(
      _ members: [SourceGroup.Member], isRealPort: Bool = true,
      present: [[DiscoveredReceiver]] = [[]]
    ) {
      let (opened, named, names, events) = (opened, named, names, events)
      var surroundings = SourceEnvironment()
      surroundings.localGPSD = nil
      surroundings.gpsdConfiguration = { GPSDConfiguration() }
      surroundings.discover = { policy, deliver in
        let times = named.events.count
        named.record(policy.named)
        names.record(policy.names)
        for receiver in present[min(times, present.count - 1)] { deliver(.found(receiver)) }
        deliver(.settled)
        await Self.untilCancelled()
      }
      let open = surroundings.openPort
      surroundings.openPort = { devnode, baud, requiresValidation in
        opened.record(devnode + (baud.map { "@\($0)" } ?? ""))
        if isRealPort { return open(devnode, baud, requiresValidation) }
        return Waiting(name: devnode, log: opened)
      }
      let group = SourceGroup(members, surroundings: surroundings)
      self.group = group
      running = Task { try await group.run { events.record($0) } }
    }

    /// Waits until so many more fixes of a port have come.
    func wait(fixes count: Int, of devnode: String) async {
      let before = events.events.count { $0.fix?.source == devnode }
      await events.wait { $0.count { $0.fix?.source == devnode } >= before + count }
    }

    func end() async throws {
      running.cancel()
      try await running.value
    }

    static func untilCancelled() async {
      let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
      for await _ in endless {}
      withExtendedLifetime(continuation) {}
    }
  }

  /// A source that says nothing, and when it begins and ends.
  private final class Waiting: FixSource {
    let name: String
    let log: EventRecorder<String>

    init(name: String, log: EventRecorder<String>) { (self.name, self.log) = (name, log) }

    func run(
      delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
    ) async throws(Never) {
      log.record("begin \(name)")
      await World.untilCancelled()
      log.record("end \(name)")
    }
  }

  /// A simulated receiver at five epochs a second, until the end of a test.
  private func simulate(on terminal: PseudoTerminal) throws -> Task<Void, Never> {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var configuration = SimulatedReceiver.Configuration(
      start: UTCTime(secondsSince1970: Int64(time.tv_sec)))
    configuration.rateHertz = 5
    let simulated = try SimulatedTerminal(
      receiver: SimulatedReceiver(configuration), terminal: terminal)
    return Task { await simulated.run() }
  }

  /// Whether no epoch of a port is missing in what came.
  private func isWhole(_ events: [FixSourceEvent], of devnode: String) -> Bool {
    let times = events.compactMap { event in
      event.fix.flatMap { $0.source == devnode ? $0.time : nil }
    }
    return zip(times, times.dropFirst()).allSatisfy { $1.nanoseconds(since: $0) == 200_000_000 }
  }

  @Test("a port that stays misses no epoch while another is added, set otherwise and taken away")
  func keepsPort() async throws {
    let (stays, other) = (try PseudoTerminal(), try PseudoTerminal())
    var sending = [try simulate(on: stays)]
    let (here, there) = (stays.devnode, other.devnode)
    let world = World([.serial(devnode: here, baud: nil)])
    await world.wait(fixes: 3, of: here)
    for baud in [nil, 9600] as [Int?] {
      let members = [
        SourceGroup.Member.serial(devnode: there, baud: baud), .serial(devnode: here, baud: nil),
      ]
      #expect(world.group.replace(members))
      #expect(world.group.name == "\(there), \(here)" && world.group.members.count == 2)
      await world.opened.wait {
        $0.last?.hasPrefix(there) == true && $0.count >= (baud == nil ? 2 : 3)
      }
      await world.wait(fixes: 3, of: here)
    }
    let read = world.group.counters.bytes
    world.group.replace([.serial(devnode: here, baud: nil)])
    await world.wait(fixes: 3, of: here)
    #expect(world.opened.events == [here, there, "\(there)@9600"])
    #expect(isWhole(world.events.events, of: here))
    #expect(world.group.counters.bytes > read, "what was read of the other is not forgotten")
    // The one that goes on is the other now, and nothing comes of the first any more.
    world.group.replace([.serial(devnode: there, baud: nil)])
    let count = await world.events.wait { $0.contains { $0.loss?.receiver == here } }.count
    sending.append(try simulate(on: other))
    await world.wait(fixes: 3, of: there)
    #expect(!world.events.events.dropFirst(count).contains { $0.fix?.source == here })
    try await world.end()
    for task in sending {
      task.cancel()
      await task.value
    }
  }

  @Test("a receiver that was found misses nothing while others are added, and keeps its name")
  func keepsFound() async throws {
    let terminal = try PseudoTerminal()
    let sending = try simulate(on: terminal)
    let receiver = DiscoveredReceiver.plugged("ublox", devnode: terminal.devnode)
    let world = World([.pluggedIn], present: [[receiver], [receiver], []])
    await world.wait(fixes: 3, of: terminal.devnode)
    let other = SourceGroup.Member.other(Waiting(name: "other", log: EventRecorder()))
    world.group.replace([.pluggedIn, other])
    await world.named.wait(for: 2)
    await world.wait(fixes: 3, of: terminal.devnode)
    #expect(world.opened.events == [terminal.devnode])
    #expect(isWhole(world.events.events, of: terminal.devnode))
    #expect(!world.events.events.contains { $0.loss != nil })
    // The third time, discovery does not find it any more.
    world.group.replace([.pluggedIn])
    let all = await world.events.wait { $0.contains { $0.loss != nil } }
    #expect(all.first { $0.loss != nil }?.loss?.receiver == terminal.devnode)
    let known = [receiver.device.syspath: "ublox"]
    #expect(world.names.events == [[:], known, known])
    try await world.end()
    sending.cancel()
    await sending.value
  }

  @Test("what is plugged in joins when it is asked for, and goes when it is not any more")
  func joins() async throws {
    let receiver = DiscoveredReceiver.plugged("ublox", devnode: "/dev/ttyACM-none")
    let world = World(
      [.serial(devnode: "/dev/named", baud: nil)], isRealPort: false, present: [[receiver]])
    await world.opened.wait { $0.contains("begin /dev/named") }
    world.group.replace([.pluggedIn, .serial(devnode: "/dev/named", baud: nil)])
    await world.opened.wait { $0.contains("begin \(receiver.devnode)") }
    world.group.replace([.serial(devnode: "/dev/named", baud: nil)])
    let log = await world.opened.wait { $0.contains("end \(receiver.devnode)") }
    #expect(!log.contains("end /dev/named") && log.count { $0 == "/dev/named" } == 1)
    try await world.end()
  }

  @Test("a source that was handed in goes on under the same id, and a consumer may replace it")
  func handedIn() async throws {
    let log = EventRecorder<String>()
    func member(_ name: String, id: String? = nil) -> SourceGroup.Member {
      .other(Waiting(name: name, log: log), id: id)
    }
    let world = World([member("first"), member("second")])
    await log.wait(for: 2)
    world.group.replace([member("second")])
    await log.wait { $0.contains("end first") }
    world.group.replace([member("first"), member("second")])
    await log.wait(for: 4)
    #expect(log.events.suffix(2) == ["end first", "begin first"])
    world.group.replace([member("first"), member("second", id: "another")])
    await log.wait(for: 6)
    #expect(Set(log.events.suffix(2)) == ["end second", "begin second"])
    try await world.end()
  }

  /// A source that delivers one fix and stays.
  private struct Once: FixSource {
    let name: String
    func run(
      delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
    ) async throws(Never) {
      var fix = Fix(mode: .none)
      fix.source = name
      deliver(.fix(fix))
      await World.untilCancelled()
    }
  }

  @Test("the consumer of an event may replace the sources: no lock is held while it is called")
  func replacesFromConsumer() async throws {
    let group = SourceGroup([.other(Once(name: "first"))])
    let events = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await group.run { event in
        if event.fix?.source == "first" { group.replace([.other(Once(name: "second"))]) }
        events.record(event)
      }
    }
    let all = await events.wait { $0.contains { $0.fix?.source == "second" } }
    #expect(all.first?.fix?.source == "first" && all.dropFirst().first?.loss != nil)
    running.cancel()
    try await running.value
  }

  @Test("without a run the next begins with them; one whose sources have all ended is over")
  func withoutRun() async throws {
    struct Over: FixSource {
      let name = "over"
      func run(
        delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
      ) async throws(Never) {}
    }
    let log = EventRecorder<String>()
    let group = SourceGroup([.other(Waiting(name: "never", log: log))])
    #expect(!group.replace([.other(Over())]))
    #expect(group.name == "over")
    try await group.run { _ in }
    #expect(!group.replace([.other(Waiting(name: "late", log: log))]))
    #expect(log.events.isEmpty)
  }
}
