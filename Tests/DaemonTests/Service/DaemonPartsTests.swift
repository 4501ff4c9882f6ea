// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import Dispatch
import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import ReceiverSimulator
import Receivers
import SystemSupport
import Testing

@testable import Daemon

/// Tests the parts of the daemon that the watchdog checks.
@Suite("Parts checked by the watchdog", .serialized, .timeLimit(.minutes(5)))
struct DaemonPartsTests {
  /// A watchdog that checks the daemon's own parts, which are idle.
  private struct Fixture: ~Copyable {
    let folder: ScratchFolder
    let receiver: DatagramReceiver
    let clock: ManualClock
    let notices: EventRecorder<DaemonLogEvent>
    let policy: PolicyFiles
    /// Blocks the policy's thread while the policy reports a line.
    let gate: DispatchSemaphore
    let reported: EventRecorder<String>

    // Swift 6.2.3 crashes if a property has a value before `ScratchFolder()` throws.
    init() throws {
      folder = try ScratchFolder()
      clock = ManualClock()
      notices = EventRecorder()
      gate = DispatchSemaphore(value: 0)
      reported = EventRecorder()
      receiver = DatagramReceiver(at: folder.path + "/notify")
      policy = PolicyFiles(
        places: PolicyPaths(root: folder.path),
        report: { [gate, reported] line in
          reported.record(line)
          gate.wait()
        })
    }

    var watchdog: WatchdogService {
      let server = SocketServer(
        SocketServer.Configuration(
          address: DaemonAddress(socketPath: folder.path + "/s"),
          policyPaths: PolicyPaths(root: folder.path)),
        now: MonotonicTime.now, report: { _ in })
      let environment = ["NOTIFY_SOCKET": receiver.path, "WATCHDOG_USEC": "20000000"]
      return WatchdogService(
        notifier: ServiceNotifier(environment: { environment[$0] }),
        parts: Daemon.parts(LocationPipeline(PipelinePlan([])), server, policy), clock: clock,
        status: { "one" }, report: { [notices] in notices.record($0) })
    }

    /// Advances the clock by half the watchdog's interval once `sleepers` tasks are sleeping.
    func beat(sleepers: Int) async {
      for _ in 0..<2 {
        await clock.waitForSleepers(sleepers)
        clock.advance(by: .seconds(5))
      }
    }

    /// Expects that pings stop while a part hangs, and resume after `release`.
    func expectNoPings(_ part: String, release: () -> Void) async {
      let watchdog = watchdog
      let beating = Task { await watchdog.run() }
      await beat(sleepers: watchdog.parts.count)
      #expect(await receiver.arrival() == "STATUS=one")
      #expect(notices.events == [.unresponsive([part])])
      release()
      #expect(await receiver.arrival() == "WATCHDOG=1")
      await beat(sleepers: watchdog.parts.count + 1)
      #expect(await receiver.arrival() == "WATCHDOG=1")
      #expect(notices.events.count == 1)
      beating.cancel()
      await beating.value
    }
  }

  @Test func `the watchdog checks the pipeline, the clients, the sources and the authorization`() throws {
    let fixture = try Fixture()
    #expect(fixture.watchdog.parts.map(\.name) == ["pipeline", "clients", "sources", "authorization"])
  }

  @Test func `a hanging thread of a source stops the watchdog pings, but a silent receiver does not`() async throws {
    let fixture = try Fixture()
    let terminal = try PseudoTerminal()
    let simulated = try SimulatedTerminal(
      receiver: SimulatedReceiver(.init(start: SystemClock.utcNow())), terminal: terminal)
    let port = SerialSource(devnode: terminal.devnode)
    let (received, gate) = (EventRecorder<Bool>(), DispatchSemaphore(value: 0))
    let source = Task {
      // Block only once, so that the source can end if the test fails.
      try await port.run { _ in
        guard received.events.isEmpty else { return }
        received.record(true)
        gate.wait()
      }
    }
    let backgroundTask = Task { await simulated.run() }
    await received.wait(for: 1)
    // The receiver sends no more data.
    backgroundTask.cancel()
    await backgroundTask.value
    await fixture.expectNoPings("sources") { gate.signal() }
    source.cancel()
    _ = await source.result
  }

  @Test func `a policy that hangs stops the watchdog pings until it resumes`() async throws {
    let fixture = try Fixture()
    let asking = Task { [policy = fixture.policy] in
      await policy.answer(.whenInUse, purpose: "a test")
    }
    await fixture.reported.wait(for: 1)
    await fixture.expectNoPings("authorization") { fixture.gate.signal() }
    fixture.gate.signal()
    #expect(await asking.value == .pending)
  }
}
