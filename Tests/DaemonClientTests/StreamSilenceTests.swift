// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("A daemon that says nothing", .timeLimit(.minutes(5))) struct StreamSilenceTests {
  @Test("is given up after three of the intervals that it declared, from when it was last heard")
  func givenUp() {
    var silence = StreamSilence(heartbeatSeconds: 15)
    #expect(silence.handle(.began, at: .zero) == [.wait(.seconds(45))])
    for seconds in [1, 2, 30] { #expect(silence.handle(.received, at: .seconds(seconds)) == []) }
    #expect(silence.handle(.waited, at: .seconds(45)) == [.wait(.seconds(30))])
    #expect(silence.handle(.waited, at: .seconds(75)) == [.giveUp])
  }

  @Test("is not given up for what held up the program itself")
  func heldUp() {
    var silence = StreamSilence(heartbeatSeconds: 15)
    _ = silence.handle(.began, at: .zero)
    #expect(silence.handle(.waited, at: .seconds(500)) == [.wait(.seconds(15))])
    var heard = silence
    #expect(heard.handle(.received, at: .seconds(501)) == [])
    #expect(heard.handle(.waited, at: .seconds(515)) == [.wait(.seconds(31))])
    #expect(silence.handle(.waited, at: .seconds(515)) == [.giveUp])
  }

  @Test("is waited for where it declares nothing that its silence could be measured by")
  func undeclared() {
    var silence = StreamSilence(heartbeatSeconds: nil)
    #expect(silence.handle(.began, at: .zero) == [])
    #expect(silence.handle(.waited, at: .seconds(10_000)) == [])
  }

  @Test("loses its stream, of which the program is told, and is tried again")
  func hangs() async throws {
    let board = try TestBoard()
    let told = DaemonAuthorization(Authorization(.authorizedAlways)).json.dropLast()
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nFixcast-Heartbeat: 15\r\n"
      + "Connection: close\r\n\r\n"
    let daemon = try Impostor(
      board.address.socketPath,
      saying: Array(head.utf8) + ServerSentEvent(type: "AUTH", data: Array(told)).bytes,
      staysOpen: true)
    let (silence, clock) = (ManualClock(), ManualClock())
    var client = board.client
    client.silenceClock = silence
    let session = DaemonSession(
      client, purpose: nil, watchesSocket: false, clock: clock, assuming: nil)
    let events = EventRecorder<DaemonSession.Event>()
    let following = Task { await session.follow { events.record($0) } }
    await events.wait(for: 1)
    await silence.waitForSleepers()
    silence.advance(by: .seconds(44))
    #expect(events.events.count == 1)
    silence.advance(by: .seconds(1))
    #expect(await events.wait(for: 2).last == .lost(.silent))
    #expect("\(DaemonClientError.silent)".contains("systemctl restart fixcast"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await events.wait(for: 3).last == events.events.first)
    await daemon.asked.wait(for: 2)
    following.cancel()
    await following.value
    daemon.end()
  }

  @Test("is said to where it was asked one thing")
  func oneShot() async throws {
    let board = try TestBoard()
    let daemon = try Impostor(board.address.socketPath, saying: [], staysOpen: true)
    #expect(throws: DaemonClientError.silent) { try board.client.statusNow(milliseconds: 50) }
    await #expect(throws: DaemonClientError.silent) {
      try await board.client.answer(to: DaemonRequest(.status), milliseconds: 50)
    }
    await #expect(throws: DaemonClientError.silent) {
      try await board.client.status(timeoutSeconds: 1)
    }
    daemon.end()
  }
}
