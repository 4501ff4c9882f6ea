// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Limits on clients") struct ServerLimitTests {
  @Test func `the number of connections is limited in total, and for each user except root`() {
    var fixture = ServerCoreFixture()
    #expect((0..<40).count { _ in fixture.connect(user: 1000) == nil } == 32)
    #expect(fixture.connect(user: 1001) == nil)
    #expect((0..<300).count { _ in fixture.connect(user: 0) == nil } == 256 - 33)
    #expect(fixture.connect(user: 1001) == .busy)
    #expect(fixture.connect(user: 990) == .busy)
    #expect(fixture.core.server.connections.refusedCount == 8 + 77 + 2)
  }

  @Test func `root and authorized clients can connect despite too many unauthorized clients`() {
    var fixture = ServerCoreFixture()
    for user in 0..<8 {
      for process in 0..<32 {
        fixture.request(DaemonRequest(.events), user: UInt32(2000 + user), process: Int32(100 + process))
      }
    }
    #expect(fixture.core.server.connections.count == 64)
    fixture.initial = Authorization(.authorizedAlways)
    fixture.publishFix()
    let allowed = fixture.request(DaemonRequest(.events))
    #expect(fixture.classes(allowed) == ["AUTH", "TPV"])
    let root = fixture.request(DaemonRequest(.status), user: 0)
    #expect(fixture.text(root).hasPrefix("HTTP/1.1 200 "))
    fixture.initial = Authorization(.notDetermined)
    let lone = fixture.request(DaemonRequest(.events, purpose: "map"), user: 3000)
    for process in 0..<64 {
      fixture.request(DaemonRequest(.events), user: UInt32(2000 + process % 8), process: 500)
    }
    #expect(!fixture.ended.contains(lone) && !fixture.ended.contains(allowed))
    #expect(fixture.core.server.connections.count == 64 + 1)
  }

  @Test func `some connections are reserved for root and the daemon's own user`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.authorizedAlways)
    for user in 0..<8 {
      for _ in 0..<32 { fixture.request(DaemonRequest(.events), user: UInt32(2000 + user)) }
    }
    #expect(fixture.core.server.connections.count == 224)
    #expect(fixture.connect(user: 2009) == .busy)
    #expect(fixture.connect(user: 0) == nil)
    #expect(fixture.connect(user: 990) == nil)
  }

  @Test func `the server core keeps no state of a closed connection`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.denied)
    for _ in 0..<100 {
      let id = fixture.request(DaemonRequest(.location(timeoutSeconds: 1)))
      #expect(fixture.ended.contains(id))
    }
    #expect(fixture.core.server.connections.isEmpty)
    #expect(fixture.core.server.clients.isEmpty)
    #expect(fixture.core.server.connections.ownerCounts.isEmpty)
    #expect(fixture.core.nextDeadline == nil)
  }

  @Test func `a connection without credentials is refused`() {
    var fixture = ServerCoreFixture()
    #expect(fixture.core.connect(1, owner: nil, at: fixture.now) == .unknownClient)
  }

  @Test func `a request that is not received in time is refused`() {
    var fixture = ServerCoreFixture()
    #expect(fixture.connect(user: 1) == nil)
    fixture.advance(seconds: 4.9)
    #expect(fixture.ended.isEmpty)
    fixture.advance(seconds: 0.2)
    #expect(fixture.text(1).hasPrefix("HTTP/1.1 408 "))
    #expect(fixture.ended == [1])
  }

  @Test func `a client that does not read loses the oldest objects, and is disconnected eventually`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.authorizedAlways)
    let slow = fixture.request(DaemonRequest(.events))
    let other = fixture.request(DaemonRequest(.events), user: 1001)
    fixture.stuck = [slow]
    for _ in 0..<290 {
      fixture.publishFix()
      fixture.publishSky()
      fixture.advance(seconds: 0.1)
    }
    #expect(fixture.classes(other).count == 1 + 2 * 290)
    #expect((fixture.core.server.connections[slow]?.queue.byteCount ?? .max) <= 65_536)
    #expect((fixture.core.server.connections[slow]?.queue.count ?? .max) <= 32)
    var reading = fixture
    reading.stuck = []
    reading.handle(.written(slow))
    #expect(reading.text(slow).contains(#""dropped":547"#))
    #expect(reading.classes(slow).count == 1 + 1 + 1 + 32)
    fixture.advance(seconds: 2)
    #expect(fixture.ended == [slow])
  }

  /// Sends a number of requests, each from another process, and returns the start of each response.
  private func sendRequests(
    _ fixture: inout ServerCoreFixture, _ request: DaemonRequest = DaemonRequest(.events, purpose: "x"),
    user: UInt32 = 1000, unit: String? = nil, count: Int
  ) -> [String] {
    (0..<count).map { number in
      let id = fixture.request(request, user: user, unit: unit, process: Int32(100 + number))
      defer { fixture.close(id) }
      return String(fixture.text(id).prefix(12))
    }
  }

  @Test func `requests that need an operator are limited to 20 per minute for each user except root`() {
    var fixture = ServerCoreFixture()
    #expect(
      sendRequests(&fixture, count: 30) == Array(repeating: "HTTP/1.1 200", count: 20)
        + Array(repeating: "HTTP/1.1 429", count: 10))
    #expect(fixture.asked.count == 20)
    #expect(sendRequests(&fixture, user: 1001, count: 1) == ["HTTP/1.1 200"])
    #expect(sendRequests(&fixture, user: 0, count: 30).allSatisfy { $0 == "HTTP/1.1 200" })
    fixture.advance(seconds: 61)
    #expect(sendRequests(&fixture, count: 1) == ["HTTP/1.1 200"])
  }

  @Test func `requests that a rule or an earlier decision decides are not limited`() {
    var fixture = ServerCoreFixture()
    fixture.operatorRequests = []
    #expect(sendRequests(&fixture, count: 60).allSatisfy { $0 == "HTTP/1.1 200" })
    let request = DaemonAuthorizationRequest(.always, purpose: "x")
    let answers = sendRequests(&fixture, DaemonRequest(.authorization(request)), count: 60)
    #expect(!answers.contains("HTTP/1.1 429"))
    fixture.initial = Authorization(.authorizedAlways)
    fixture.operatorRequests = .all
    #expect(sendRequests(&fixture, user: 1002, count: 60).allSatisfy { $0 == "HTTP/1.1 200" })
  }

  @Test func `the limits of a systemd unit do not depend on other units of the same user`() {
    var fixture = ServerCoreFixture()
    #expect(sendRequests(&fixture, unit: "guest.service", count: 25).contains("HTTP/1.1 429"))
    #expect(sendRequests(&fixture, unit: "map.service", count: 1) == ["HTTP/1.1 200"])
    fixture.initial = Authorization(.authorizedAlways)
    for _ in 0..<40 { fixture.request(DaemonRequest(.events), unit: "guest.service") }
    let map = fixture.request(DaemonRequest(.events), unit: "map.service")
    #expect(fixture.text(map).hasPrefix("HTTP/1.1 200"))
    #expect(fixture.core.server.connections.refusedCount == 8)
  }

  @Test func `status requests are limited to a burst of 60 and two a second, before policy files are read`() {
    var fixture = ServerCoreFixture()
    let status = DaemonRequest(.status)
    let answers = sendRequests(&fixture, status, count: 80)
    #expect(answers.count { $0 == "HTTP/1.1 200" } == 60)
    #expect(answers.count { $0 == "HTTP/1.1 429" } == 20)
    #expect(fixture.opened.count == 60)
    fixture.advance(seconds: 1)
    #expect(sendRequests(&fixture, status, count: 3).count { $0 == "HTTP/1.1 200" } == 2)
    #expect(sendRequests(&fixture, status, user: 0, count: 80).allSatisfy { $0 == "HTTP/1.1 200" })
  }

  @Test func `a location request fails if no position arrives in time`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.authorizedAlways)
    fixture.publishFix()
    fixture.advance(seconds: 11)
    let old = fixture.request(DaemonRequest(.location(timeoutSeconds: 3)))
    fixture.publishFix(mode: .none)
    fixture.advance(seconds: 4)
    #expect(fixture.text(old).hasPrefix("HTTP/1.1 504 "))
    let next = fixture.request(DaemonRequest(.location(timeoutSeconds: 3)))
    fixture.publishFix()
    #expect(fixture.text(next).hasPrefix("HTTP/1.1 200 "))
    #expect(fixture.ended.contains(next))
  }

  @Test func `a new stream gets no values from a lost receiver`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.authorizedAlways)
    fixture.publishFix()
    fixture.handle(.published(.lost(SourceLoss(.deactivated), source: "gpsd")))
    let id = fixture.request(DaemonRequest(.events))
    #expect(fixture.classes(id) == ["AUTH"])
  }

  @Test func `the server reports a stream's use for the audit log, with the number of locations`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Authorization(.authorizedAlways)
    let stream = fixture.request(DaemonRequest(.events))
    for _ in 0..<3 { fixture.publishFix() }
    fixture.close(stream)
    let notes = fixture.actions.compactMap { action -> ServiceUse? in
      if case .note(_, let use) = action { use } else { nil }
    }
    #expect(
      notes == [
        .started(.updates), .firstLocation(.updates), .stopped(.updates, locationCount: 3),
      ])
  }
}
