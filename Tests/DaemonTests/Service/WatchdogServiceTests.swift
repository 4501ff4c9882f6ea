// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import Testing

@testable import Daemon

@Suite("Watchdog of the daemon", .timeLimit(.minutes(5)))
struct WatchdogServiceTests {
  /// A part that responds to pings, except between `hang` and `resume`.
  private final class Part: Sendable {
    private let isHanging = Mutex(false)
    private let resumptions: AsyncStream<Void>
    private let resumptionContinuation: AsyncStream<Void>.Continuation

    init() { (resumptions, resumptionContinuation) = AsyncStream.makeStream(of: Void.self) }

    func hang() { isHanging.withLock { $0 = true } }

    func resume() {
      isHanging.withLock { $0 = false }
      resumptionContinuation.yield(())
    }

    func respond() async {
      guard isHanging.withLock({ $0 }) else { return }
      for await _ in resumptions { return }
    }
  }

  /// The status line.
  private final class Line: Sendable {
    private let text = Mutex("one")
    var now: String {
      get { text.withLock { $0 } }
      set { text.withLock { $0 = newValue } }
    }
  }

  private struct Fixture: Sendable {
    let clock = ManualClock()
    let notices = EventRecorder<DaemonLogEvent>()
    let line = Line()
    let part = Part()

    /// Runs the watchdog while `body` runs.
    func withWatchdog(_ environment: [String: String], _ body: @Sendable () async throws -> Void) async rethrows {
      let watchdog = WatchdogService(
        notifier: ServiceNotifier(environment: { environment[$0] }),
        parts: [
          .init(name: "pipeline") {}, .init(name: "clients") { [part] in await part.respond() },
        ], clock: clock, status: { [line] in line.now },
        report: { [notices] in notices.record($0) })
      let beating = Task { await watchdog.run() }
      do { try await body() } catch {
        beating.cancel()
        throw error
      }
      beating.cancel()
      await beating.value
    }

    /// Advances the clock in steps of five seconds.
    ///
    /// Before each step, waits until `sleepers` tasks are sleeping.
    func advance(steps: Int, sleepers: Int = 3) async {
      for _ in 0..<steps {
        await clock.waitForSleepers(sleepers)
        clock.advance(by: .seconds(5))
      }
    }
  }

  private static func environment(_ socket: String) -> [String: String] {
    ["NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "20000000"]
  }

  @Test func `the watchdog sends each new status line, and sends pings while every part responds`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let fixture = Fixture()
    await fixture.withWatchdog(Self.environment(receiver.path)) {
      await fixture.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      await fixture.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1")
      fixture.line.now = "two"
      await fixture.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=two")
      #expect(fixture.notices.events.isEmpty && receiver.next() == nil)
    }
  }

  @Test func `a part that hangs is logged and stops the watchdog pings until it responds`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let fixture = Fixture()
    await fixture.withWatchdog(Self.environment(receiver.path)) {
      await fixture.advance(steps: 1)
      await fixture.clock.waitForSleepers(3)
      fixture.part.hang()
      await fixture.advance(steps: 1)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      fixture.line.now = "two"
      await fixture.advance(steps: 2, sleepers: 2)
      #expect(await receiver.arrival() == "STATUS=two")
      #expect(fixture.notices.events == [.unresponsive(["clients"])])
      await fixture.clock.waitForSleepers(2)
      fixture.part.resume()
      #expect(await receiver.arrival() == "WATCHDOG=1")
    }
  }

  @Test func `a part that has responded late is not reported again before its next response is due`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let fixture = Fixture()
    await fixture.withWatchdog(Self.environment(receiver.path)) {
      await fixture.clock.waitForSleepers(3)
      fixture.part.hang()
      await fixture.advance(steps: 1)
      await fixture.advance(steps: 1, sleepers: 2)
      // The responses at the start apply only to the first ping.
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      await fixture.advance(steps: 3, sleepers: 2)
      await fixture.clock.waitForSleepers(2)
      fixture.clock.advance(by: .seconds(2))
      fixture.part.resume()
      #expect(await receiver.arrival() == "WATCHDOG=1")
      // Change the line only now, because the tick of the missed ping may have read the line late.
      fixture.line.now = "two"
      await fixture.clock.waitForSleepers(3)
      fixture.clock.advance(by: .seconds(3))
      #expect(await receiver.arrival() == "STATUS=two")
      await fixture.clock.waitForSleepers(3)
      fixture.clock.advance(by: .seconds(2))
      #expect(await receiver.arrival() == "WATCHDOG=1")
      #expect(fixture.notices.events == [.unresponsive(["clients"])])
    }
  }

  @Test func `without a watchdog, the service manager gets only the status line`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let fixture = Fixture()
    await fixture.withWatchdog(["NOTIFY_SOCKET": receiver.path]) {
      await fixture.clock.waitForSleepers(3)
      fixture.clock.advance(by: WatchdogService.statusInterval)
      #expect(await receiver.arrival() == "STATUS=one")
    }
  }

  @Test func `a status line that could not be sent is sent again`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/notify"
    let fixture = Fixture()
    await fixture.withWatchdog(Self.environment(path)) {
      await fixture.advance(steps: 2)
      await fixture.notices.wait(for: 1)
      guard case .notificationFailed? = fixture.notices.events.first else {
        Issue.record("\(fixture.notices.events)")
        return
      }
      let receiver = DatagramReceiver(at: path)
      await fixture.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
    }
  }

  @Test func `without a service manager, no part is pinged and nothing is sent`() async {
    let fixture = Fixture()
    await fixture.withWatchdog([:]) {}
    #expect(fixture.clock.sleeperCount == 0 && fixture.notices.events.isEmpty)
  }
}
