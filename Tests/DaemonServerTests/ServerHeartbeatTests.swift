// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Heartbeats of streams") struct ServerHeartbeatTests {
  private static let beat = ":\n\n"

  private func beats(_ fixture: ServerCoreFixture, _ id: UInt64) -> Int {
    fixture.text(id).split(separator: "\n").count { $0 == ":" }
  }

  @Test func `an idle stream declares a heartbeat interval and gets heartbeats, which are not events`() {
    var fixture = ServerCoreFixture()
    let id = fixture.request(DaemonRequest(.events))
    #expect(fixture.text(id).contains("\r\nFixcast-Heartbeat: 15\r\n"))
    fixture.advance(seconds: 14.9)
    #expect(beats(fixture, id) == 0)
    fixture.advance(seconds: 0.1)
    #expect(fixture.text(id).hasSuffix(Self.beat))
    for _ in 0..<4 { fixture.advance(seconds: 15) }
    #expect(beats(fixture, id) == 5 && fixture.classes(id) == ["AUTH"])
    var parser = ServerSentEventParser()
    var events: [ServerSentEvent] = []
    let body = fixture.text(id).split(separator: "\r\n\r\n", maxSplits: 1)[1]
    #expect(throws: Never.self) { try parser.append(body.utf8) { events.append($0) } }
    #expect(events.map(\.type) == ["AUTH"])
  }

  @Test func `a busy stream gets no heartbeat, and no timer runs without a stream`() {
    var fixture = ServerCoreFixture(initial: Authorization(.authorizedAlways))
    #expect(fixture.core.nextDeadline == nil)
    let id = fixture.request(DaemonRequest(.events))
    for _ in 0..<60 {
      fixture.publishFix()
      fixture.advance(seconds: 1)
    }
    #expect(beats(fixture, id) == 0 && fixture.classes(id).count == 1 + 60)
    fixture.close(id)
    #expect(fixture.core.nextDeadline == nil)
  }

  @Test func `all idle streams get their heartbeats at the same time`() {
    var fixture = ServerCoreFixture()
    let first = fixture.request(DaemonRequest(.events))
    fixture.advance(seconds: 4)
    let second = fixture.request(DaemonRequest(.events), user: 1001)
    var wakes = 0
    let end = fixture.now.advanced(byNanoseconds: 150_000_000_000)
    while wakes < 100, let next = fixture.core.nextDeadline, next <= end {
      fixture.now = next
      fixture.handle(.deadlineReached)
      wakes += 1
    }
    #expect(wakes == 10)
    #expect(beats(fixture, first) == 10 && beats(fixture, second) == 10)
  }

  @Test func `a stream whose write is blocked gets no heartbeat`() {
    var fixture = ServerCoreFixture()
    fixture.stuck = [1]
    let id = fixture.request(DaemonRequest(.events))
    #expect(id == 1)
    let written = fixture.text(id)
    fixture.advance(seconds: 20)
    #expect(fixture.text(id) == written)
    // The next deadline is the timeout of the write.
    #expect(fixture.core.nextDeadline == fixture.now.advanced(byNanoseconds: 10_000_000_000))
  }
}
