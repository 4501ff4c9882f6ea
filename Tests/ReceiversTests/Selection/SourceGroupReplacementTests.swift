// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// Replacement of the sources of a running group, with pseudo-terminals.
@Suite(.timeLimit(.minutes(1))) struct SourceGroupReplacementTests {
  /// A running group with recorders of its calls and events.
  private final class RunningGroup: Sendable {
    let group: SourceGroup
    /// The devnode of each opened port, with `@` and the baud rate if one was given.
    let opened = EventRecorder<String>()
    /// The named devices of each discovery.
    let named = EventRecorder<Set<String>>()
    /// The previously assigned names passed to each discovery, by syspath.
    let names = EventRecorder<[String: String]>()
    let events = EventRecorder<FixSourceEvent>()
    private let task: Task<Void, any Error>

    /// Makes and starts a group.
    ///
    /// - Parameters:
    ///   - members: The initial sources.
    ///   - isRealPort: Whether ports are really opened.
    ///   - present: The devices that each discovery reports; the last element is repeated.
    init(_ members: [SourceGroup.Member], isRealPort: Bool = true, present: [[DiscoveredReceiver]] = [[]]) {
      let (opened, named, names, events) = (opened, named, names, events)
      var environment = SourceEnvironment()
      environment.localGPSD = nil
      environment.gpsdConfiguration = { GPSDConfiguration() }
      // On a busy machine, seconds may pass between two fixes, and a silent source is lost.
      let start = MonotonicTime.now()
      environment.now = { start }
      environment.discover = { policy, deliver in
        let times = named.events.count
        named.record(policy.named)
        names.record(policy.names)
        for receiver in present[min(times, present.count - 1)] { deliver(.found(receiver)) }
        deliver(.settled)
        await Task.untilCancelled()
      }
      let open = environment.openPort
      environment.openPort = { devnode, baud, requiresValidation, allowsMissingChecksum in
        opened.record(devnode + (baud.map { "@\($0)" } ?? ""))
        if isRealPort {
          return open(devnode, baud, requiresValidation, allowsMissingChecksum)
        }
        return WaitingSource(name: devnode, log: opened)
      }
      let group = SourceGroup(members, environment: environment)
      self.group = group
      task = Task { try await group.run { events.record($0) } }
    }

    /// Waits for a number of further fixes of a port.
    func wait(fixes count: Int, of devnode: String) async {
      let before = events.events.count { $0.fix?.source == devnode }
      await events.wait { $0.count { $0.fix?.source == devnode } >= before + count }
    }

    func end() async throws {
      task.cancel()
      try await task.value
    }
  }

  /// A source without events that records its start and end.
  private final class WaitingSource: FixSource {
    let name: String
    let log: EventRecorder<String>

    init(name: String, log: EventRecorder<String>) { (self.name, self.log) = (name, log) }

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
      log.record("begin \(name)")
      await Task.untilCancelled()
      log.record("end \(name)")
    }
  }

  /// A simulated receiver with five epochs per second.
  private func simulatedReceiver(on terminal: PseudoTerminal) throws -> SimulatedTerminal {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var configuration = SimulatedReceiver.Configuration(start: UTCTime(secondsSince1970: Int64(time.tv_sec)))
    configuration.rateHertz = 5
    return try SimulatedTerminal(receiver: SimulatedReceiver(configuration), terminal: terminal)
  }

  /// Returns the number of epochs that are missing between the fixes of a port.
  private func missingEpochs(_ events: [FixSourceEvent], of devnode: String) -> Int64 {
    let times = events.compactMap { event in
      event.fix.flatMap { $0.source == devnode ? $0.time : nil }
    }
    return zip(times, times.dropFirst()).reduce(0) { missing, pair in
      missing + abs(pair.1.nanoseconds(since: pair.0) / 200_000_000 - 1)
    }
  }

  @Test func `a port loses no epoch while another port is added, changed and removed`() async throws {
    let (keptTerminal, other) = (try PseudoTerminal(), try PseudoTerminal())
    let receiver = try simulatedReceiver(on: keptTerminal)
    var sending = [Task { await receiver.run() }]
    let (keptNode, otherNode) = (keptTerminal.devnode, other.devnode)
    let running = RunningGroup([.serial(devnode: keptNode, baud: nil)])
    await running.wait(fixes: 3, of: keptNode)
    for baud in [nil, 9600] as [Int?] {
      let members = [
        SourceGroup.Member.serial(devnode: otherNode, baud: baud),
        .serial(devnode: keptNode, baud: nil),
      ]
      #expect(running.group.replace(members))
      #expect(running.group.name == "\(otherNode), \(keptNode)" && running.group.members.count == 2)
      await running.opened.wait {
        $0.last?.hasPrefix(otherNode) == true && $0.count >= (baud == nil ? 2 : 3)
      }
      await running.wait(fixes: 3, of: keptNode)
    }
    let read = running.group.counters.bytes
    running.group.replace([.serial(devnode: keptNode, baud: nil)])
    await running.wait(fixes: 3, of: keptNode)
    #expect(running.opened.events == [keptNode, otherNode, "\(otherNode)@9600"])
    // On a busy machine, the simulator skips epochs that are more than a second late.
    let missing = missingEpochs(running.events.events, of: keptNode)
    #expect(UInt64(missing) <= receiver.counters.skippedEpochs)
    #expect(running.group.counters.bytes > read, "the counters include removed sources")
    // After the first port is removed, its fixes are no longer delivered.
    running.group.replace([.serial(devnode: otherNode, baud: nil)])
    let count = await running.events.wait { $0.contains { $0.loss?.receiver == keptNode } }.count
    let second = try simulatedReceiver(on: other)
    sending.append(Task { await second.run() })
    await running.wait(fixes: 3, of: otherNode)
    #expect(!running.events.events.dropFirst(count).contains { $0.fix?.source == keptNode })
    try await running.end()
    for task in sending {
      task.cancel()
      await task.value
    }
  }

  @Test func `a discovered receiver loses no epoch and keeps its name while sources are added`() async throws {
    let terminal = try PseudoTerminal()
    let receiver = try simulatedReceiver(on: terminal)
    let sending = Task { await receiver.run() }
    let found = DiscoveredReceiver.plugged("ublox", devnode: terminal.devnode)
    let running = RunningGroup([.pluggedIn], present: [[found], [found], []])
    await running.wait(fixes: 3, of: terminal.devnode)
    let other = SourceGroup.Member.other(WaitingSource(name: "other", log: EventRecorder()))
    running.group.replace([.pluggedIn, other])
    await running.named.wait(for: 2)
    await running.wait(fixes: 3, of: terminal.devnode)
    #expect(running.opened.events == [terminal.devnode])
    let missing = missingEpochs(running.events.events, of: terminal.devnode)
    #expect(UInt64(missing) <= receiver.counters.skippedEpochs)
    #expect(!running.events.events.contains { $0.loss != nil })
    // The third discovery does not report the receiver.
    running.group.replace([.pluggedIn])
    let all = await running.events.wait { $0.contains { $0.loss != nil } }
    #expect(all.first { $0.loss != nil }?.loss?.receiver == terminal.devnode)
    let previousNames = [found.device.syspath: "ublox"]
    #expect(running.names.events == [[:], previousNames, previousNames])
    try await running.end()
    sending.cancel()
    await sending.value
  }

  @Test func `discovered receivers are added and removed together with the member pluggedIn`() async throws {
    let receiver = DiscoveredReceiver.plugged("ublox", devnode: "/dev/ttyACM-none")
    let running = RunningGroup([.serial(devnode: "/dev/named", baud: nil)], isRealPort: false, present: [[receiver]])
    await running.opened.wait { $0.contains("begin /dev/named") }
    running.group.replace([.pluggedIn, .serial(devnode: "/dev/named", baud: nil)])
    await running.opened.wait { $0.contains("begin \(receiver.devnode)") }
    running.group.replace([.serial(devnode: "/dev/named", baud: nil)])
    let log = await running.opened.wait { $0.contains("end \(receiver.devnode)") }
    #expect(!log.contains("end /dev/named") && log.count { $0 == "/dev/named" } == 1)
    try await running.end()
  }

  @Test func `a supplied source keeps running under the same id, and is restarted under another id`() async throws {
    let log = EventRecorder<String>()
    func member(_ name: String, id: String? = nil) -> SourceGroup.Member {
      .other(WaitingSource(name: name, log: log), id: id)
    }
    let running = RunningGroup([member("first"), member("second")])
    await log.wait(for: 2)
    running.group.replace([member("second")])
    await log.wait { $0.contains("end first") }
    running.group.replace([member("first"), member("second")])
    await log.wait(for: 4)
    #expect(log.events.suffix(2) == ["end first", "begin first"])
    running.group.replace([member("first"), member("second", id: "another")])
    await log.wait(for: 6)
    #expect(Set(log.events.suffix(2)) == ["end second", "begin second"])
    try await running.end()
  }

  /// A source that delivers one fix and then waits.
  private struct OneFixSource: FixSource {
    let name: String
    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
      var fix = Fix(mode: .none)
      fix.source = name
      deliver(.fix(fix))
      await Task.untilCancelled()
    }
  }

  @Test func `the consumer of an event can replace the sources without a deadlock`() async throws {
    let group = SourceGroup([.other(OneFixSource(name: "first"))])
    let events = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await group.run { event in
        if event.fix?.source == "first" { group.replace([.other(OneFixSource(name: "second"))]) }
        events.record(event)
      }
    }
    let all = await events.wait { $0.contains { $0.fix?.source == "second" } }
    #expect(all.first?.fix?.source == "first" && all.dropFirst().first?.loss != nil)
    running.cancel()
    try await running.value
  }

  /// A source that ends at once.
  private struct EndedSource: FixSource {
    let name: String
    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {}
  }

  @Test func `a group that runs until it is cancelled starts the sources anew after all have ended`() async throws {
    let group = SourceGroup([.other(EndedSource(name: "first"))])
    let events = EventRecorder<SourceGroup.Event>()
    let running = Task { await group.runUntilCancelled { events.record($0) } }
    await events.wait(for: 2)
    #expect(group.replace([.other(EndedSource(name: "first")), .other(OneFixSource(name: "second"))]))
    let all = await events.wait(for: 4)
    #expect(all.prefix(3) == [.started(name: "first"), .ended(failures: []), .started(name: "first, second")])
    #expect(all.last.map { if case .source(.fix) = $0 { true } else { false } } == true)
    running.cancel()
    await running.value
    #expect(!group.replace([]))
  }

  @Test func `a second run of a group fails while the first continues`() async throws {
    let log = EventRecorder<String>()
    let running = RunningGroup([.other(WaitingSource(name: "first", log: log))])
    await log.wait(for: 1)
    await #expect(throws: SourceGroup.Failure(failures: ["first: the sources are already being read"])) {
      try await running.group.run { _ in }
    }
    #expect(log.events == ["begin first"])
    try await running.end()
    #expect(log.events == ["begin first", "end first"])
  }

  @Test func `sources that are set while a group is not running are used by the group's next run`() async throws {
    let log = EventRecorder<String>()
    let group = SourceGroup([.other(WaitingSource(name: "never", log: log))])
    #expect(!group.replace([.other(EndedSource(name: "over"))]))
    #expect(group.name == "over")
    try await group.run { _ in }
    #expect(!group.replace([.other(WaitingSource(name: "late", log: log))]))
    #expect(log.events.isEmpty)
  }
}
