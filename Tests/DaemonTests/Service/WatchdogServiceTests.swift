// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import Testing

@testable import Daemon

@Suite("The daemon's watchdog", .timeLimit(.minutes(5)))
struct WatchdogServiceTests {
  /// A part that answers until it is told to hang, and then when it is told to go on.
  private final class Part: Sendable {
    private let isHanging = Mutex(false)
    private let goesOn: AsyncStream<Void>
    private let go: AsyncStream<Void>.Continuation

    init() { (goesOn, go) = AsyncStream.makeStream(of: Void.self) }

    func hang() { isHanging.withLock { $0 = true } }

    func goOn() {
      isHanging.withLock { $0 = false }
      go.yield(())
    }

    func answer() async {
      guard isHanging.withLock({ $0 }) else { return }
      for await _ in goesOn { return }
    }
  }

  /// How it stands.
  private final class Line: Sendable {
    private let text = Mutex("one")
    var now: String {
      get { text.withLock { $0 } }
      set { text.withLock { $0 = newValue } }
    }
  }

  private struct World: Sendable {
    let clock = ManualClock()
    let notices = EventRecorder<DaemonLogEvent>()
    let line = Line()
    let part = Part()

    /// Beats as long as the body takes.
    func beat(
      _ environment: [String: String], _ body: @Sendable () async throws -> Void
    ) async rethrows {
      let watchdog = WatchdogService(
        notifier: ServiceNotifier(environment: { environment[$0] }),
        parts: [
          .init(name: "pipeline") {}, .init(name: "clients") { [part] in await part.answer() },
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

    /// Moves the clock on in steps of five seconds; who sleeps each time is known.
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

  @Test("feeds the watchdog while every part answers, and tells how it stands when that changes")
  func feeds() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let world = World()
    await world.beat(Self.environment(receiver.path)) {
      await world.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      await world.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1")
      world.line.now = "two"
      await world.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=two")
      #expect(world.notices.events.isEmpty && receiver.next() == nil)
    }
  }

  @Test("a part that hangs stops the feeding and is named; when it answers, that is fed at once")
  func hangs() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let world = World()
    await world.beat(Self.environment(receiver.path)) {
      await world.advance(steps: 1)
      await world.clock.waitForSleepers(3)
      world.part.hang()
      await world.advance(steps: 1)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      world.line.now = "two"
      await world.advance(steps: 2, sleepers: 2)
      #expect(await receiver.arrival() == "STATUS=two")
      #expect(world.notices.events == [.unresponsive(["clients"])])
      await world.clock.waitForSleepers(2)
      world.part.goOn()
      #expect(await receiver.arrival() == "WATCHDOG=1")
    }
  }

  @Test("who answered late is not called silent before it could answer again")
  func late() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let world = World()
    await world.beat(Self.environment(receiver.path)) {
      await world.clock.waitForSleepers(3)
      world.part.hang()
      await world.advance(steps: 1)
      await world.advance(steps: 1, sleepers: 2)
      // What answered at the start is enough for the first beat, and for no other.
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
      await world.advance(steps: 3, sleepers: 2)
      await world.clock.waitForSleepers(2)
      world.clock.advance(by: .seconds(2))
      world.part.goOn()
      #expect(await receiver.arrival() == "WATCHDOG=1")
      // Not before: the beat that was missed may only now have asked for its line.
      world.line.now = "two"
      await world.clock.waitForSleepers(3)
      world.clock.advance(by: .seconds(3))
      #expect(await receiver.arrival() == "STATUS=two")
      await world.clock.waitForSleepers(3)
      world.clock.advance(by: .seconds(2))
      #expect(await receiver.arrival() == "WATCHDOG=1")
      #expect(world.notices.events == [.unresponsive(["clients"])])
    }
  }

  @Test("where no watchdog is wanted the line alone is told")
  func noWatchdog() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/notify")
    let world = World()
    await world.beat(["NOTIFY_SOCKET": receiver.path]) {
      await world.clock.waitForSleepers(3)
      world.clock.advance(by: WatchdogService.statusInterval)
      #expect(await receiver.arrival() == "STATUS=one")
    }
  }

  @Test("a line that was not taken is told again")
  func refused() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/notify"
    let world = World()
    await world.beat(Self.environment(path)) {
      await world.advance(steps: 2)
      await world.notices.wait(for: 1)
      guard case .notificationFailed? = world.notices.events.first else {
        Issue.record("\(world.notices.events)")
        return
      }
      let receiver = DatagramReceiver(at: path)
      await world.advance(steps: 2)
      #expect(await receiver.arrival() == "WATCHDOG=1\nSTATUS=one")
    }
  }

  @Test("where nobody listens nothing is asked and nothing is said")
  func nobody() async {
    let world = World()
    await world.beat([:]) {}
    #expect(world.clock.sleeperCount == 0 && world.notices.events.isEmpty)
  }
}
