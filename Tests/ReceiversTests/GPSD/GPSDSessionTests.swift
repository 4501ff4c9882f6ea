// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// The state machine of the gpsd client, with a simulated clock.
@Suite struct GPSDSessionTests {
  // MARK: Connection

  @Test func `a gpsd session connects, waits for VERSION, then requests reports`() {
    var fixture = GPSDSessionFixture()
    #expect(fixture.start() == [.connect])
    #expect(fixture.send(.connected).isEmpty)
    #expect(fixture.session.state == .handshaking(until: fixture.at(seconds: 10)))
    let actions = fixture.send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
    let server = SourceServer(address: "test:2947", release: "3.22")
    #expect(actions == [.watch, .deliver(.connected(server))])
    #expect(fixture.session.state == .watching(until: fixture.at(seconds: 4.5)))
  }

  struct Failure: CustomTestStringConvertible {
    var testDescription: String
    var events: [GPSDSession.Event]
    var seconds = 0.0
    var reason: SourceLoss.Reason
    var closes = true
  }

  @Test(arguments: [
    Failure(
      testDescription: "refused", events: [.connectFailed(.refused(isLoopback: true))],
      reason: .unreachable,
      closes: false),
    Failure(testDescription: "dropped before VERSION", events: [.connected, .readFailed], reason: .incompatible),
    Failure(testDescription: "no VERSION", events: [.connected, .tick], seconds: 10, reason: .incompatible),
    Failure(
      testDescription: "another server",
      events: [.connected, .report(.malformed("SSH-2.0-OpenSSH_9.2"))], reason: .incompatible),
    Failure(
      testDescription: "another protocol",
      events: [
        .connected, .report(.version(release: "9", protocolMajor: 4, protocolMinor: 0)),
      ], reason: .incompatible),
  ])
  func `a gpsd session backs off after every failure and reports the failure once`(failure: Failure) throws {
    var fixture = GPSDSessionFixture()
    fixture.start()
    for event in failure.events {
      if event == .tick { fixture.wait(seconds: failure.seconds) } else { fixture.send(event) }
    }
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [failure.reason])
    #expect(fixture.actions.contains(.close) == failure.closes)
    // Further failures are not reported.
    for _ in 0..<5 {
      #expect(fixture.wait(seconds: 2.1).contains(.connect))
      fixture.send(.connectFailed(.refused(isLoopback: true)))
    }
    #expect(fixture.events.compactMap(\.loss).count == 1)
  }

  @Test func `a gpsd session requests the version once after two silent seconds and continues to wait`() {
    var fixture = GPSDSessionFixture()
    fixture.start()
    fixture.send(.connected)
    #expect(fixture.wait(seconds: 1.9).isEmpty)
    #expect(fixture.wait(seconds: 0.2) == [.requestVersion])
    #expect(fixture.wait(seconds: 7.8).isEmpty)
    #expect(fixture.session.state == .handshaking(until: fixture.at(seconds: 0.1)))
    // A gpsd that was busy sends VERSION twice: as greeting and as answer.
    let greeting = GPSDReport.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    #expect(fixture.send(.report(greeting)).first == .watch)
    #expect(fixture.send(.report(greeting)).isEmpty)
  }

  @Test func `a reported loss quotes the data of another server without control characters`() {
    var fixture = GPSDSessionFixture()
    fixture.start()
    fixture.send(.connected)
    fixture.send(.report(.malformed("\u{1B}[2J\"é" + String(repeating: "x", count: 100) + "\r\n")))
    let detail = fixture.events.compactMap(\.loss).first?.detail
    let quoted = "\"?[2J??" + String(repeating: "x", count: 54) + "...\""
    #expect(detail?.hasPrefix("not a gpsd server: it sent \(quoted); check host and port") == true)
  }

  @Test func `the back-off of a gpsd session grows to at most two seconds, with jitter`() {
    var waits: [[Int64]] = []
    for seed in 0..<20 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var backOff = GPSDSession.Options().backOff
      waits.append((0..<12).map { _ in backOff.next(using: &generator) })
      backOff.succeed()
      #expect(backOff.next(using: &generator) <= 100_000_000)
    }
    for attempt in 0..<12 {
      let limit = min(100_000_000 << Int64(attempt), 2_000_000_000)
      #expect(waits.allSatisfy { $0[attempt] >= limit - limit / 2 && $0[attempt] <= limit })
      #expect(Set(waits.map { $0[attempt] }).count > 10)
    }
  }

  @Test func `a gpsd session disconnects from a gpsd with too many receivers, also after each retry`() {
    var fixture = GPSDSessionFixture(watching: true)
    var (sent, connections, elapsed) = (0, 1, 0.0)
    while elapsed < 9 {
      for _ in 0..<200 {
        let name = "/dev/ttyF\(sent)"
        fixture.send(.report(.devices([ReceiverInfo(name: name, isActive: true)])))
        fixture.send(.report(.position(device: name, fixture.tpv())))
        sent += 1
      }
      fixture.wait(seconds: 0.1)
      elapsed += 0.1
      guard fixture.session.state == .connecting else { continue }
      connections += 1
      fixture.send(.connected)
      fixture.send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
    }
    // Each list contains one receiver, so the previous receiver is lost.
    let removals = fixture.events.compactMap(\.loss).filter { $0.reason == .deactivated }
    let announcementCount = fixture.events.count { if case .receiver = $0 { true } else { false } }
    #expect(announcementCount + removals.count <= 64)
    let losses = fixture.events.compactMap(\.loss).filter { $0.reason == .disconnected }
    #expect(losses.first?.detail?.contains("more than 64 new") == true)
    // The back-off applies, and there is at most one loss per connection.
    #expect((2...15).contains(connections))
    #expect(losses.count <= connections)

    // After the limit's window has passed, receivers are reported again.
    fixture.wait(seconds: 12)
    if fixture.session.state == .connecting { fixture.send(.connected) }
    fixture.send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
    let calm = ReceiverInfo(name: "/dev/calm", isActive: true)
    #expect(fixture.send(.report(.devices([calm]))) == [.deliver(.receiver(calm))])
  }

  @Test func `a gpsd session accepts 64 notices at once: eight receivers reported eight times each`() {
    var fixture = GPSDSessionFixture(watching: true)
    for baud in 1...8 {
      for number in 0..<8 {
        var receiver = ReceiverInfo(name: "/dev/tty\(number)", isActive: true)
        receiver.baud = baud
        fixture.send(.report(.device(receiver)))
      }
    }
    #expect(!fixture.actions.contains(.close))
  }

  @Test func `late events of a closed gpsd connection are ignored`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(.readFailed)
    let count = fixture.events.count
    #expect(fixture.send(.report(.position(device: "/dev/a", fixture.tpv()))).isEmpty)
    #expect(fixture.send(.readFailed).isEmpty)
    #expect(fixture.send(.connected).isEmpty)
    #expect(fixture.events.count == count)
  }

  // MARK: Silence

  @Test func `a receiver of gpsd is lost after 4.5 seconds without a TPV, and not earlier`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(3)
    // The last TPV is one second old.
    fixture.wait(seconds: 3.4)
    #expect(fixture.events.compactMap(\.loss).isEmpty)
    #expect(fixture.wait(seconds: 0.2).contains(.probe))
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent])
    // gpsd answers, so the session probes gpsd periodically and stays connected.
    for _ in 0..<10 {
      fixture.send(.report(.devices([])))
      #expect(fixture.wait(seconds: 4.5) == [.probe])
    }
    #expect(fixture.events.compactMap(\.loss).count == 1)
    // The receiver returns.
    fixture.sendEpochs(3)
    #expect(fixture.fixes.count == 6)
  }

  @Test func `a session reconnects if gpsd does not answer a probe, as after gpsd's host went down`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(1)
    fixture.wait(seconds: 5.1)
    #expect(!fixture.actions.contains(.close))
    let actions = fixture.wait(seconds: 12)
    #expect(actions.filter { $0 == .close || $0 == .connect } == [.close, .connect])
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent])
  }

  @Test func `a receiver of gpsd that sends TPVs without a position is not lost`() {
    var fixture = GPSDSessionFixture(watching: true)
    for _ in 0..<20 {
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv(mode: FixMode.none, hasTime: false))))
      fixture.wait(seconds: 1)
    }
    #expect(fixture.events.compactMap(\.loss).isEmpty)
    #expect(fixture.fixes.count >= 19)
    #expect(fixture.fixes.allSatisfy { $0.mode == .none && $0.coordinate == nil })
  }

  @Test func `the only receiver of gpsd is lost as soon as gpsd reports the receiver as inactive`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(2)
    fixture.send(.report(.device(ReceiverInfo(name: "/dev/a", isActive: false))))
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.deactivated])
    fixture.wait(seconds: 20)
    #expect(fixture.events.compactMap(\.loss).count == 1)
  }

  @Test func `a receiver missing from a complete device list of gpsd is reported as lost once`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(.report(.devices([ReceiverInfo(name: "/dev/a", isActive: true)])))
    fixture.sendEpochs(2)
    // After unplugging, gpsd reports nothing until it is probed.
    #expect(fixture.wait(seconds: 5).contains(.probe))
    fixture.send(.report(.devices([], isComplete: false)))
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent], "the list was incomplete")
    fixture.send(.report(.devices([])))
    fixture.send(.report(.devices([])))
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent, .deactivated])
    #expect(fixture.events.last?.loss?.receiver == "/dev/a")
    // A replugged receiver is reported again, although its properties are unchanged.
    let again = ReceiverInfo(name: "/dev/a", isActive: true)
    #expect(fixture.send(.report(.devices([again]))) == [.deliver(.receiver(again))])
  }

  @Test func `a silent receiver is lost if gpsd does not list it, but not if gpsd lists it as inactive`() {
    var fixture = GPSDSessionFixture(watching: true)
    let paused = ReceiverInfo(name: "/dev/b", isActive: false)
    fixture.send(.report(.devices([ReceiverInfo(name: "/dev/a", isActive: true), paused])))
    let actions = fixture.send(.report(.devices([paused])))
    #expect(actions.count == 1)
    #expect(fixture.events.compactMap(\.loss).map(\.receiver) == ["/dev/a"])
  }

  @Test func `a session requests the device list when one of two receivers falls silent`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(.report(.position(device: "/dev/b", fixture.tpv())))
    fixture.sendEpochs(7)
    #expect(fixture.events.compactMap(\.loss).map(\.receiver) == ["/dev/b"])
    #expect(fixture.actions.count { $0 == .probe } == 1)
  }

  @Test func `every receiver of gpsd is reported again after a reconnect`() {
    var fixture = GPSDSessionFixture(watching: true)
    let receiver = ReceiverInfo(name: "/dev/a", isActive: true)
    fixture.send(.report(.devices([receiver])))
    fixture.send(.readFailed)
    #expect(fixture.wait(seconds: 2.1).contains(.connect))
    fixture.send(.connected)
    fixture.send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
    #expect(fixture.send(.report(.devices([receiver]))) == [.deliver(.receiver(receiver))])
  }

  @Test func `the removal of a receiver that gpsd has not announced is not reported`() {
    var fixture = GPSDSessionFixture(watching: true)
    let gone = ReceiverInfo(name: "/dev/b", isActive: false)
    #expect(fixture.send(.report(.device(gone))).isEmpty)
  }

  // MARK: Stale reports

  @Test func `positions from before a loss are dropped, and positions from after the loss are delivered`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(5)
    let before = fixture.fixes.count
    // gpsd was paused and then sends its backlog of five epochs.
    let pauseUTC = fixture.utcNanoseconds
    fixture.wait(seconds: 8)
    for step in 0..<5 as Range<Int64> {
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv(utcNanoseconds: pauseUTC + step * 1_000_000_000))))
    }
    fixture.wait(seconds: 0.3)
    #expect(fixture.fixes.count == before)
    #expect(fixture.session.counters.stalePositions == 5)
    fixture.sendEpochs(3)
    #expect(fixture.fixes.count == before + 3)
  }

  @Test func `a position buffered during a suspend is dropped, and the loss is reported`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(5)
    let (before, pauseUTC) = (fixture.fixes.count, fixture.utcNanoseconds)
    fixture.sleep(seconds: 3600)
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv(utcNanoseconds: pauseUTC))))
    fixture.wait(seconds: 0.3)
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent])
    #expect(fixture.fixes.count == before)
  }

  @Test func `positions buffered during a pause of the process are dropped without a loss`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(10, period: 0.2)
    let (before, pauseUTC) = (fixture.fixes.count, fixture.utcNanoseconds)
    fixture.sleep(seconds: 4)
    fixture.send(.stalled)
    for step in 0..<19 as Range<Int64> {
      let utc = pauseUTC + step * 200_000_000
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv(utcNanoseconds: utc))))
    }
    fixture.send(.waitForConsumers)
    // A position that arrives after the backlog is recognized as stale by its time.
    let late = pauseUTC + 19 * 200_000_000
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv(utcNanoseconds: late))))
    fixture.advanceEpoch(period: 0.2)
    #expect(fixture.fixes.count == before)
    #expect(fixture.session.counters.stalePositions == 20)
    fixture.sendEpochs(5, period: 1)
    #expect(fixture.fixes.count == before + 5)
    #expect(fixture.events.compactMap(\.loss).isEmpty)
  }

  @Test func `a receiver that is silent during and after a pause of the process is lost`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(3)
    fixture.sleep(seconds: 2.5)
    fixture.send(.stalled)
    fixture.send(.waitForConsumers)
    #expect(fixture.events.compactMap(\.loss).isEmpty)
    fixture.wait(seconds: 1.1)
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == [.silent])
  }

  @Test func `an epoch that is open when the connection to gpsd is lost is dropped`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
    fixture.send(.readFailed)
    fixture.wait(seconds: 1)
    #expect(fixture.fixes.isEmpty)
  }

  @Test func `positions of a receiver whose clock was set back by days are not stale`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(3)
    fixture.wait(seconds: 6)
    fixture.utcNanoseconds -= 86_400_000_000_000 * 30
    fixture.sendEpochs(2)
    #expect(fixture.fixes.count == 5)
    #expect(fixture.session.counters.stalePositions == 0)
  }

  @Test func `positions after a loss are checked for staleness for at most five seconds`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(3)
    fixture.wait(seconds: 6)
    // The receiver returns with a clock that is six seconds slow.
    fixture.utcNanoseconds -= 6_000_000_000
    fixture.sendEpochs(10, period: 0.7)
    #expect(fixture.session.counters.stalePositions == 8)
    #expect(fixture.fixes.count == 3 + 2)
  }
}
