// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Limits on clients") struct ServerLimitTests {
  @Test func `the number of connections is limited in total, and for each user except root`() {
    var world = ServerWorld()
    #expect((0..<40).count { _ in world.connect(user: 1000) == nil } == 32)
    #expect(world.connect(user: 1001) == nil)
    #expect((0..<300).count { _ in world.connect(user: 0) == nil } == 256 - 33)
    #expect(world.connect(user: 1001) == .busy)
    #expect(world.connect(user: 990) == .busy)
    #expect(world.core.refusedCount == 8 + 77 + 2)
  }

  @Test func `root and authorized clients can connect despite too many unauthorized clients`() {
    var world = ServerWorld()
    for user in 0..<8 {
      for process in 0..<32 {
        world.request(
          DaemonRequest(.events), user: UInt32(2000 + user), process: Int32(100 + process))
      }
    }
    #expect(world.core.connections.count == 64)
    world.initial = Authorization(.authorizedAlways)
    world.publishFix()
    let allowed = world.request(DaemonRequest(.events))
    #expect(world.classes(allowed) == ["AUTH", "TPV"])
    let root = world.request(DaemonRequest(.status), user: 0)
    #expect(world.text(root).hasPrefix("HTTP/1.1 200 "))
    world.initial = Authorization(.notDetermined)
    let lone = world.request(DaemonRequest(.events, purpose: "map"), user: 3000)
    for process in 0..<64 {
      world.request(DaemonRequest(.events), user: UInt32(2000 + process % 8), process: 500)
    }
    #expect(!world.ended.contains(lone) && !world.ended.contains(allowed))
    #expect(world.core.connections.count == 64 + 1)
  }

  @Test func `some connections are reserved for root and the daemon's own user`() {
    var world = ServerWorld()
    world.initial = Authorization(.authorizedAlways)
    for user in 0..<8 {
      for _ in 0..<32 { world.request(DaemonRequest(.events), user: UInt32(2000 + user)) }
    }
    #expect(world.core.connections.count == 224)
    #expect(world.connect(user: 2009) == .busy)
    #expect(world.connect(user: 0) == nil)
    #expect(world.connect(user: 990) == nil)
  }

  @Test func `the server core keeps no state of a closed connection`() {
    var world = ServerWorld()
    world.initial = Authorization(.denied)
    for _ in 0..<100 {
      let id = world.request(DaemonRequest(.location(timeoutSeconds: 1)))
      #expect(world.ended.contains(id))
    }
    #expect(world.core.connections.isEmpty)
    #expect(world.core.clients.isEmpty)
    #expect(world.core.ownerCounts.isEmpty)
    #expect(world.core.nextDeadline == nil)
  }

  @Test func `a connection without credentials is refused`() {
    var world = ServerWorld()
    #expect(world.core.connect(1, owner: nil, at: world.now) == .unknownClient)
  }

  @Test func `a request that is not received in time is refused`() {
    var world = ServerWorld()
    #expect(world.connect(user: 1) == nil)
    world.advance(seconds: 4.9)
    #expect(world.ended.isEmpty)
    world.advance(seconds: 0.2)
    #expect(world.text(1).hasPrefix("HTTP/1.1 408 "))
    #expect(world.ended == [1])
  }

  @Test func `a client that does not read loses the oldest objects, and is disconnected eventually`() {
    var world = ServerWorld()
    world.initial = Authorization(.authorizedAlways)
    let slow = world.request(DaemonRequest(.events))
    let other = world.request(DaemonRequest(.events), user: 1001)
    world.stuck = [slow]
    for _ in 0..<290 {
      world.publishFix()
      world.publishSky()
      world.advance(seconds: 0.1)
    }
    #expect(world.classes(other).count == 1 + 2 * 290)
    #expect((world.core.connections[slow]?.queue.byteCount ?? .max) <= 65_536)
    #expect((world.core.connections[slow]?.queue.count ?? .max) <= 32)
    var reading = world
    reading.stuck = []
    reading.handle(.written(slow))
    #expect(reading.text(slow).contains(#""dropped":547"#))
    #expect(reading.classes(slow).count == 1 + 1 + 1 + 32)
    world.advance(seconds: 2)
    #expect(world.ended == [slow])
  }

  /// Sends a number of requests, each from another process, and returns the start of each response.
  private func sendRequests(
    _ world: inout ServerWorld, _ request: DaemonRequest = DaemonRequest(.events, purpose: "x"),
    user: UInt32 = 1000, unit: String? = nil, count: Int
  ) -> [String] {
    (0..<count).map { number in
      let id = world.request(request, user: user, unit: unit, process: Int32(100 + number))
      defer { world.close(id) }
      return String(world.text(id).prefix(12))
    }
  }

  @Test func `requests that need an operator are limited to 20 per minute for each user except root`() {
    var world = ServerWorld()
    #expect(
      sendRequests(&world, count: 30) == Array(repeating: "HTTP/1.1 200", count: 20)
        + Array(repeating: "HTTP/1.1 429", count: 10))
    #expect(world.asked.count == 20)
    #expect(sendRequests(&world, user: 1001, count: 1) == ["HTTP/1.1 200"])
    #expect(sendRequests(&world, user: 0, count: 30).allSatisfy { $0 == "HTTP/1.1 200" })
    world.advance(seconds: 61)
    #expect(sendRequests(&world, count: 1) == ["HTTP/1.1 200"])
  }

  @Test func `requests that a rule or an earlier decision decides are not limited`() {
    var world = ServerWorld()
    world.operatorRequests = []
    #expect(sendRequests(&world, count: 60).allSatisfy { $0 == "HTTP/1.1 200" })
    let request = DaemonAuthorizationRequest(.always, purpose: "x")
    let answers = sendRequests(&world, DaemonRequest(.authorization(request)), count: 60)
    #expect(!answers.contains("HTTP/1.1 429"))
    world.initial = Authorization(.authorizedAlways)
    world.operatorRequests = .all
    #expect(sendRequests(&world, user: 1002, count: 60).allSatisfy { $0 == "HTTP/1.1 200" })
  }

  @Test func `the limits of a systemd unit do not depend on other units of the same user`() {
    var world = ServerWorld()
    #expect(sendRequests(&world, unit: "guest.service", count: 25).contains("HTTP/1.1 429"))
    #expect(sendRequests(&world, unit: "map.service", count: 1) == ["HTTP/1.1 200"])
    world.initial = Authorization(.authorizedAlways)
    for _ in 0..<40 { world.request(DaemonRequest(.events), unit: "guest.service") }
    let map = world.request(DaemonRequest(.events), unit: "map.service")
    #expect(world.text(map).hasPrefix("HTTP/1.1 200"))
    #expect(world.core.refusedCount == 8)
  }

  @Test func `status requests are limited to a burst of 60 and two a second, before policy files are read`() {
    var world = ServerWorld()
    let status = DaemonRequest(.status)
    let answers = sendRequests(&world, status, count: 80)
    #expect(answers.count { $0 == "HTTP/1.1 200" } == 60)
    #expect(answers.count { $0 == "HTTP/1.1 429" } == 20)
    #expect(world.opened.count == 60)
    world.advance(seconds: 1)
    #expect(sendRequests(&world, status, count: 3).count { $0 == "HTTP/1.1 200" } == 2)
    #expect(sendRequests(&world, status, user: 0, count: 80).allSatisfy { $0 == "HTTP/1.1 200" })
  }

  @Test func `a location request fails if no position arrives in time`() {
    var world = ServerWorld()
    world.initial = Authorization(.authorizedAlways)
    world.publishFix()
    world.advance(seconds: 11)
    let old = world.request(DaemonRequest(.location(timeoutSeconds: 3)))
    world.publishFix(mode: .none)
    world.advance(seconds: 4)
    #expect(world.text(old).hasPrefix("HTTP/1.1 504 "))
    let next = world.request(DaemonRequest(.location(timeoutSeconds: 3)))
    world.publishFix()
    #expect(world.text(next).hasPrefix("HTTP/1.1 200 "))
    #expect(world.ended.contains(next))
  }

  @Test func `a new stream gets no values from a lost receiver`() {
    var world = ServerWorld()
    world.initial = Authorization(.authorizedAlways)
    world.publishFix()
    world.handle(.published(.lost(SourceLoss(.deactivated), source: "gpsd")))
    let id = world.request(DaemonRequest(.events))
    #expect(world.classes(id) == ["AUTH"])
  }

  @Test func `the server reports a stream's use for the audit log, with the number of locations`() {
    var world = ServerWorld()
    world.initial = Authorization(.authorizedAlways)
    let stream = world.request(DaemonRequest(.events))
    for _ in 0..<3 { world.publishFix() }
    world.close(stream)
    let notes = world.actions.compactMap { action -> ServiceUse? in
      if case .note(_, let use) = action { use } else { nil }
    }
    #expect(
      notes == [
        .started(.updates), .firstLocation(.updates), .stopped(.updates, locationCount: 3),
      ])
  }
}
