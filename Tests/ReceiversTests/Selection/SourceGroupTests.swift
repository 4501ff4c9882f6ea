// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// A source group with pseudo-terminals and simulated discovery events.
@Suite(.timeLimit(.minutes(5))) struct SourceGroupTests {
  /// Starts a simulated receiver.
  private func simulate(on terminal: PseudoTerminal, hz: Int = 5) throws -> Task<Void, Never> {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var configuration = SimulatedReceiver.Configuration(start: UTCTime(secondsSince1970: Int64(time.tv_sec)))
    configuration.rateHertz = hz
    let simulated = try SimulatedTerminal(receiver: SimulatedReceiver(configuration), terminal: terminal)
    return Task { await simulated.run() }
  }

  /// Returns an environment with simulated discovery.
  ///
  /// On a busy machine, seconds may pass between two fixes. No source is silent if the time is
  /// stopped.
  private func environment(
    gpsd port: UInt16? = nil, isTimeStopped: Bool = false, _ events: AsyncStream<DiscoveryEvent>
  ) -> SourceEnvironment {
    var environment = SourceEnvironment()
    environment.localGPSD = port.flatMap { GPSDAddress(host: "127.0.0.1", port: $0) }
    environment.gpsdConfiguration = { GPSDConfiguration() }
    if isTimeStopped {
      let start = MonotonicTime.now()
      environment.now = { start }
    }
    environment.discover = { _, deliver in for await event in events { deliver(event) } }
    return environment
  }

  @Test func `a receiver is read when plugged in, lost when unplugged, and read again when replugged`() async throws {
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup([.pluggedIn], environment: environment(isTimeStopped: true, events))
    let recorder = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await group.run { event in
        // The consumer of an event may read the status without a deadlock.
        _ = (group.diagnosis, group.counters)
        recorder.record(event)
      }
    }
    for _ in 1...3 {
      let terminal = try PseudoTerminal()
      let sending = try simulate(on: terminal)
      let receiver = DiscoveredReceiver.plugged("ublox", devnode: terminal.devnode)
      // The devnodes may be equal, since the numbers of pseudo-terminals are reused.
      let seen = recorder.events.count
      device.yield(.found(receiver))
      await recorder.wait { $0.dropFirst(seen).contains { $0.fix?.source == terminal.devnode } }
      terminal.hangUp()
      let lost = await recorder.wait { $0.dropFirst(seen).contains { $0.loss != nil } }
      #expect(lost.dropFirst(seen).first { $0.loss != nil }?.loss?.reason == .deactivated)
      device.yield(.gone(receiver))
      sending.cancel()
      await sending.value
    }
    #expect(group.diagnosis.hadReceiver)
    #expect(group.counters.fixes >= 3)
    running.cancel()
    try await running.value
  }

  @Test func `a group reads gpsd's receiver only through gpsd, and another receiver directly`() async throws {
    let mine = try PseudoTerminal()
    let theirs = try PseudoTerminal()
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.devices =
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"\#(theirs.devnode)"}]}"#
    let gpsd = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { gpsd.stop() }
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup([.pluggedIn], environment: environment(gpsd: gpsd.port, events))
    let recorder = EventRecorder<FixSourceEvent>()
    let running = Task { try await group.run { recorder.record($0) } }
    device.yield(.found(.plugged("theirs", devnode: theirs.devnode)))
    device.yield(.found(.plugged("mine", devnode: mine.devnode)))
    let sending = try simulate(on: mine)
    // The order of gpsd's report, udev's report and the first fix is not fixed.
    let all = await recorder.wait { events in
      events.contains { $0.fix?.source == mine.devnode }
        && events.contains {
          $0.receiver?.name == theirs.devnode && $0.receiver?.stableName == "theirs"
        }
    }
    #expect(!all.contains { $0.fix?.source == theirs.devnode })
    running.cancel()
    sending.cancel()
    try await running.value
    await sending.value
  }

  @Test func `a missing named port is reported as lost, and is read when the port appears`() async throws {
    let terminal = try PseudoTerminal()
    let link = "/tmp/fixcast-group-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup([.serial(devnode: link, baud: nil)], environment: environment(events))
    #expect(group.name == link)
    let recorder = EventRecorder<FixSourceEvent>()
    let running = Task { try await group.run { recorder.record($0) } }
    let first = await recorder.wait { !$0.isEmpty }
    #expect(first.first?.loss?.reason == .unreachable)
    #expect(first.first?.loss?.detail?.contains("No such file") == true)
    #expect(!group.diagnosis.hadReceiver && group.diagnosis.notices.count == 1)
    #expect(symlink(terminal.devnode, link) == 0)
    defer { unlink(link) }
    let sending = try simulate(on: terminal)
    let all = await recorder.wait { $0.contains { $0.fix != nil } }
    #expect(all.contains { $0.fix?.source == link })
    running.cancel()
    sending.cancel()
    device.finish()
    try await running.value
    await sending.value
  }

  @Test func `a group that is cancelled before it starts ends at once`() async throws {
    let (events, _) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup([.pluggedIn], environment: environment(events))
    let running = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await group.run { _ in }
    }
    try await running.value
    #expect(!group.diagnosis.hadReceiver)
  }

  @Test func `a port named by its devnode and by a link is opened once`() async throws {
    let terminal = try PseudoTerminal()
    let link = "/tmp/fixcast-alias-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    #expect(symlink(terminal.devnode, link) == 0)
    defer { unlink(link) }
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup(
      [.serial(devnode: link, baud: nil), .serial(devnode: terminal.devnode, baud: nil)],
      environment: environment(events))
    let recorder = EventRecorder<FixSourceEvent>()
    let running = Task { try await group.run { recorder.record($0) } }
    let sending = try simulate(on: terminal)
    let all = await recorder.wait { $0.count { $0.fix != nil } >= 3 }
    #expect(Set(all.compactMap(\.fix?.source)) == [link], "the first name is used")
    #expect(!all.contains { $0.loss != nil })
    let open = PortHolders(of: [terminal.devnode]).holders(of: terminal.devnode)
    #expect(open.map(\.processID) == [getpid()])
    #expect(OpenDescriptors.count(of: terminal.devnode) == 2, "of the port and of the terminal")
    #expect(group.diagnosis.notices.isEmpty)
    // The end of the refused run does not release the port.
    let other = link + "-other"
    #expect(symlink(terminal.devnode, other) == 0)
    defer { unlink(other) }
    group.replace([link, terminal.devnode, other].map { .serial(devnode: $0, baud: nil) })
    let count = recorder.events.count
    let later = await recorder.wait { $0.dropFirst(count).count { $0.fix != nil } >= 3 }
    #expect(Set(later.compactMap(\.fix?.source)) == [link])
    #expect(OpenDescriptors.count(of: terminal.devnode) == 2)
    running.cancel()
    sending.cancel()
    device.finish()
    try await running.value
    await sending.value
  }

  /// A port that closes only when the test allows it.
  private struct SlowPort: FixSource {
    let name: String
    let log: EventRecorder<String>
    let closing: EventRecorder<Bool>

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
      log.record("open \(name)")
      await Task.untilCancelled()
      log.record("closing \(name)")
      // Waits in another task, since a wait in the cancelled task would return at once.
      await Task { [closing] in _ = await closing.wait(for: 1) }.value
      log.record("closed \(name)")
    }
  }

  @Test func `a port is reopened only after the previous run has closed it`() async throws {
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let log = EventRecorder<String>()
    let closing = EventRecorder<Bool>()
    var environment = environment(events)
    environment.openPort = { devnode, _, _, _ in
      SlowPort(name: devnode, log: log, closing: closing)
    }
    let group = SourceGroup([.pluggedIn], environment: environment)
    let running = Task { try await group.run { _ in } }
    let receiver = DiscoveredReceiver.plugged("ublox", devnode: "/dev/ttyACM-none")
    let other = DiscoveredReceiver.plugged("other", devnode: "/dev/ttyACM-other")
    device.yield(.found(receiver))
    await log.wait(for: 1)
    // The second run is stopped while it waits for the first to close the port.
    for _ in 0..<2 {
      device.yield(.gone(receiver))
      device.yield(.found(receiver))
    }
    await log.wait(for: 2)
    // Another port is opened at once.
    device.yield(.found(other))
    let (first, second) = (receiver.devnode, other.devnode)
    await log.wait { $0.contains("open \(second)") }
    #expect(log.events == ["open \(first)", "closing \(first)", "open \(second)"])
    closing.record(true)
    let all = await log.wait { $0.count { $0 == "open \(first)" } == 3 }
    let (open, end) = ("open \(first)", ["closing \(first)", "closed \(first)"])
    #expect(Array(all.dropFirst(3)) == [end[1], open] + end + [open])
    running.cancel()
    try await running.value
  }

  @Test func `a receiver that sends only GSV is reported as sending NMEA without positions`() async throws {
    let terminal = try PseudoTerminal()
    let (events, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = SourceGroup([.pluggedIn], environment: environment(events))
    let recorder = EventRecorder<FixSourceEvent>()
    let running = Task { try await group.run { recorder.record($0) } }
    device.yield(.found(.plugged("ublox", devnode: terminal.devnode)))
    let sending = Task {
      let sky = line("GPGSV,1,1,02,01,45,120,40,02,30,060,35")
      while !Task.isCancelled {
        terminal.write(sky)
        try? await ContinuousClock().sleep(for: .milliseconds(200))
      }
    }
    let all = await recorder.wait { $0.contains { $0.loss != nil } }
    let detail = all.first { $0.loss != nil }?.loss?.detail
    #expect(detail?.contains("receiving NMEA without positions") == true, "\(all)")
    running.cancel()
    sending.cancel()
    try await running.value
    await sending.value
  }
}
