// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Heartbeats of streams") struct ServerHeartbeatTests {
  private static let beat = ":\n\n"

  private func beats(_ world: ServerWorld, _ id: UInt64) -> Int {
    world.text(id).split(separator: "\n").count { $0 == ":" }
  }

  @Test func `an idle stream declares a heartbeat interval and gets heartbeats, which are not events`() {
    var world = ServerWorld()
    let id = world.request(DaemonRequest(.events))
    #expect(world.text(id).contains("\r\nFixcast-Heartbeat: 15\r\n"))
    world.advance(seconds: 14.9)
    #expect(beats(world, id) == 0)
    world.advance(seconds: 0.1)
    #expect(world.text(id).hasSuffix(Self.beat))
    for _ in 0..<4 { world.advance(seconds: 15) }
    #expect(beats(world, id) == 5 && world.classes(id) == ["AUTH"])
    var parser = ServerSentEventParser()
    var events: [ServerSentEvent] = []
    let body = world.text(id).split(separator: "\r\n\r\n", maxSplits: 1)[1]
    #expect(throws: Never.self) { try parser.append(body.utf8) { events.append($0) } }
    #expect(events.map(\.type) == ["AUTH"])
  }

  @Test func `a busy stream gets no heartbeat, and no timer runs without a stream`() {
    var world = ServerWorld(initial: Authorization(.authorizedAlways))
    #expect(world.core.nextDeadline == nil)
    let id = world.request(DaemonRequest(.events))
    for _ in 0..<60 {
      world.publishFix()
      world.advance(seconds: 1)
    }
    #expect(beats(world, id) == 0 && world.classes(id).count == 1 + 60)
    world.close(id)
    #expect(world.core.nextDeadline == nil)
  }

  @Test func `all idle streams get their heartbeats at the same time`() {
    var world = ServerWorld()
    let first = world.request(DaemonRequest(.events))
    world.advance(seconds: 4)
    let second = world.request(DaemonRequest(.events), user: 1001)
    var wakes = 0
    let end = world.now.advanced(byNanoseconds: 150_000_000_000)
    while wakes < 100, let next = world.core.nextDeadline, next <= end {
      world.now = next
      world.handle(.deadlineReached)
      wakes += 1
    }
    #expect(wakes == 10)
    #expect(beats(world, first) == 10 && beats(world, second) == 10)
  }

  @Test func `a stream whose write is blocked gets no heartbeat`() {
    var world = ServerWorld()
    world.stuck = [1]
    let id = world.request(DaemonRequest(.events))
    #expect(id == 1)
    let written = world.text(id)
    world.advance(seconds: 20)
    #expect(world.text(id) == written)
    // The next deadline is the timeout of the write.
    #expect(world.core.nextDeadline == world.now.advanced(byNanoseconds: 10_000_000_000))
  }
}
