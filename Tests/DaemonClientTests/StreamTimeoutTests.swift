// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Streams without data", .timeLimit(.minutes(5))) struct StreamTimeoutTests {
  @Test func `a stream times out after three heartbeat intervals without data`() {
    var timeout = StreamTimeout(heartbeatSeconds: 15)
    #expect(timeout.handle(.began, at: .zero) == [.wait(.seconds(45))])
    for seconds in [1, 2, 30] { #expect(timeout.handle(.received, at: .seconds(seconds)) == []) }
    #expect(timeout.handle(.waited, at: .seconds(45)) == [.wait(.seconds(30))])
    #expect(timeout.handle(.waited, at: .seconds(75)) == [.timeOut])
  }

  @Test func `suspending the program does not make a stream time out`() {
    var timeout = StreamTimeout(heartbeatSeconds: 15)
    _ = timeout.handle(.began, at: .zero)
    #expect(timeout.handle(.waited, at: .seconds(500)) == [.wait(.seconds(15))])
    var received = timeout
    #expect(received.handle(.received, at: .seconds(501)) == [])
    #expect(received.handle(.waited, at: .seconds(515)) == [.wait(.seconds(31))])
    #expect(timeout.handle(.waited, at: .seconds(515)) == [.timeOut])
  }

  @Test func `a stream without a declared heartbeat interval never times out`() {
    var timeout = StreamTimeout(heartbeatSeconds: nil)
    #expect(timeout.handle(.began, at: .zero) == [])
    #expect(timeout.handle(.waited, at: .seconds(10_000)) == [])
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
