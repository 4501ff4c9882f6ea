// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Streams without data", .timeLimit(.minutes(5))) struct StreamTimeoutTests {
  /// A stream with a heartbeat interval of 15 seconds, and whether it has timed out.
  private struct Fixture {
    let clock = ManualClock()
    let timeout: StreamTimeout
    private let waiting: Task<Bool, Never>

    init() async {
      let timeout = StreamTimeout(heartbeatSeconds: 15, clock: clock)
      self.timeout = timeout
      waiting = Task { await timeout.wait() }
      await clock.waitForSleepers()
    }

    var hasTimedOut: Bool { get async { await waiting.value } }

    /// Advances the clock, and waits until the stream waits again.
    func advance(_ seconds: Int) async {
      clock.advance(by: .seconds(seconds))
      await clock.waitForSleepers()
    }
  }

  @Test func `a stream times out after three heartbeat intervals without data`() async {
    let fixture = await Fixture()
    await fixture.advance(30)
    fixture.timeout.recordInput()
    await fixture.advance(15)
    await fixture.advance(29)
    fixture.clock.advance(by: .seconds(1))
    #expect(await fixture.hasTimedOut)
    #expect(fixture.clock.now.offset == .seconds(75))
  }

  @Test(arguments: [false, true])
  func `a stream times out after a suspension of the program only if no data arrives then`(hasData: Bool) async {
    let fixture = await Fixture()
    await fixture.advance(500)
    if hasData {
      fixture.timeout.recordInput()
      await fixture.advance(15)
      await fixture.advance(29)
    } else {
      await fixture.advance(14)
    }
    fixture.clock.advance(by: .seconds(1))
    #expect(await fixture.hasTimedOut)
    #expect(fixture.clock.now.offset == .seconds(hasData ? 545 : 515))
  }

  @Test func `a stream without a declared heartbeat interval never times out`() async {
    let clock = ManualClock()
    #expect(await !StreamTimeout(heartbeatSeconds: nil, clock: clock).wait())
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a stream that times out is reported as lost, and the session reconnects`() async throws {
    let board = try BoardFixture()
    let authorization = DaemonAuthorization(Authorization(.authorizedAlways)).json.dropLast()
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nFixcast-Heartbeat: 15\r\n"
      + "Connection: close\r\n\r\n"
    let daemon = try Impostor(
      board.address.socketPath,
      answer: Array(head.utf8) + ServerSentEvent(type: "AUTH", data: Array(authorization)).bytes,
      staysOpen: true)
    let (streamClock, clock) = (ManualClock(), ManualClock())
    var client = board.client
    client.streamClock = streamClock
    let session = DaemonSession(client, purpose: nil, watchesSocket: false, clock: clock, assuming: nil)
    let events = EventRecorder<DaemonSession.Event>()
    let following = Task { await session.follow { events.record($0) } }
    await events.wait(for: 1)
    await streamClock.waitForSleepers()
    streamClock.advance(by: .seconds(44))
    #expect(events.events.count == 1)
    streamClock.advance(by: .seconds(1))
    #expect(await events.wait(for: 2).last == .lost(.silent))
    #expect("\(DaemonClientError.silent)".contains("systemctl restart fixcast"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await events.wait(for: 3).last == events.events.first)
    await daemon.requests.wait(for: 2)
    following.cancel()
    await following.value
    daemon.end()
  }

  @Test func `a request to the daemon fails with the error silent if no response arrives in time`() async throws {
    let board = try BoardFixture()
    let daemon = try Impostor(board.address.socketPath, answer: [], staysOpen: true)
    #expect(throws: DaemonClientError.silent) { try board.client.statusNow(milliseconds: 50) }
    await #expect(throws: DaemonClientError.silent) {
      try await board.client.responseBody(to: DaemonRequest(.status), milliseconds: 50)
    }
    await #expect(throws: DaemonClientError.silent) {
      try await board.client.status(timeoutSeconds: 1)
    }
    daemon.end()
  }
}
