// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Data that the server sends to each client") struct ServerCoreTests {
  private static let full = Authorization(.authorizedAlways)
  private static let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
  private static let events = DaemonRequest(.events)

  @Test func `a new stream with full accuracy first gets the latest data, and then all new data`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    fixture.publishFix()
    fixture.publishSky()
    let id = fixture.request(Self.events)
    #expect(fixture.text(id).hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
    #expect(fixture.classes(id) == ["AUTH", "TPV", "SKY"])
    fixture.publishFix()
    #expect(fixture.classes(id) == ["AUTH", "TPV", "SKY", "TPV"])
    #expect(fixture.text(id).contains(ServerCoreFixture.latitude))
  }

  @Test func `a client with reduced accuracy gets a location every quarter of an hour, no satellites`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    let id = fixture.request(Self.events)
    for step in 0..<1000 {
      fixture.publishFix(latitude: 54.093468333 + Double(step) * 1e-4)
      fixture.publishSky()
      fixture.advance(seconds: 1)
    }
    let text = fixture.text(id)
    #expect(fixture.classes(id) == ["AUTH", "TPV", "TPV"])
    #expect(!text.contains("54.0934") && !text.contains("10.8246"))
    #expect(!text.contains("sats") && !text.contains("PRN"))
    #expect(text.contains(#""lat":54.075000000"#))
  }

  @Test func `headings and the errors of speed and course are sent only with full accuracy`() {
    for isReduced in [false, true] {
      var fixture = ServerCoreFixture(initial: isReduced ? Self.reduced : Self.full)
      let early = fixture.request(Self.events)
      let fix = Fix.at(54.09, 10.82) {
        ($0.headingDegreesTrue, $0.receivedAt) = (341.8, fixture.now)
        ($0.speedAccuracyMetersPerSecond, $0.courseAccuracyDegrees) = (0.8, 12.5)
      }
      fixture.handle(.published(.fix(fix)))
      let late = fixture.request(Self.events)
      for id in [early, late] {
        #expect(fixture.classes(id) == (isReduced ? ["AUTH", "TPV"] : ["AUTH", "ATT", "TPV"]))
        for field in [#""heading":341.8"#, #""eps":0.8"#, #""epd":12.5"#] {
          #expect(fixture.text(id).contains(field) != isReduced, "\(fixture.text(id))")
        }
      }
    }
  }

  @Test func `a location with reduced accuracy has no age, which would reveal the exact time`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    let id = fixture.request(Self.events)
    fixture.publishFix()
    #expect(fixture.text(id).contains("event: TPV"))
    #expect(!fixture.text(id).contains(#""age":"#), "\(fixture.text(id))")
  }

  @Test func `fixes without a position are sent to clients with reduced accuracy as rarely as locations`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    let id = fixture.request(Self.events)
    for step in 0..<80 {
      fixture.publishFix(mode: step % 2 == 0 ? .none : .threeDimensional)
      fixture.advance(seconds: 10)
    }
    // The client has received one fix without a position, and one reduced location.
    #expect(fixture.classes(id) == ["AUTH", "TPV", "TPV"])
    for _ in 0..<20 {
      fixture.publishFix(mode: .none)
      fixture.advance(seconds: 10)
    }
    #expect(fixture.classes(id) == ["AUTH", "TPV", "TPV", "TPV"])
  }

  @Test func `a client that reconnects, even as another user, gets the same reduced location`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    var latitudes: Set<String> = []
    for step in 0..<60 {
      fixture.publishFix(latitude: 54.0 + Double(step) * 0.01)
      let id = fixture.request(DaemonRequest(.location(timeoutSeconds: 5)), user: UInt32(2000 + step % 3))
      let parts = fixture.text(id).split(separator: "\"lat\":")
      latitudes.insert(String(parts.last?.prefix(12) ?? ""))
      fixture.advance(seconds: 10)
    }
    #expect(latitudes == ["54.025000000"])
  }

  @Test(arguments: [
    AuthorizationStatus.notDetermined, .denied, .restricted,
  ])
  func `a client without authorization gets only its authorization or a refusal`(status: AuthorizationStatus) {
    var fixture = ServerCoreFixture(initial: Authorization(status))
    fixture.publishFix()
    let stream = fixture.request(Self.events)
    let once = fixture.request(DaemonRequest(.location(timeoutSeconds: 5)))
    for object in Self.objects { fixture.handle(.published(.object(object))) }
    for _ in 0..<5 {
      fixture.publishFix()
      fixture.publishSky()
      fixture.advance(seconds: 1)
    }
    #expect(fixture.classes(stream) == ["AUTH"])
    #expect(fixture.text(once).hasPrefix("HTTP/1.1 403 "))
    #expect(fixture.text(once).contains("fixcast auth"))
    for id in [stream, once] {
      #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
      #expect(!fixture.text(id).contains("WEATHER"))
    }
  }

  @Test func `a stream without a decision begins with the command that grants access, until it is given`() {
    var fixture = ServerCoreFixture()
    let advice = #""advice":"allow it with: sudo fixcast auth allow uid=1000""#
    let stream = fixture.request(DaemonRequest(.events, purpose: "p"))
    #expect(fixture.text(stream).contains(advice), "\(fixture.text(stream))")
    fixture.decide(Self.full)
    fixture.publishFix()
    #expect(fixture.text(stream).contains(ServerCoreFixture.latitude))
    let last = fixture.text(stream).split(separator: "event: AUTH").last ?? ""
    #expect(!last.contains("advice"), "\(last)")
    let status = fixture.request(DaemonRequest(.status))
    #expect(fixture.text(status).contains("STATUS") && !fixture.text(status).contains("advice"))
  }

  @Test func `an authorization contains no advice if a rule decides without an operator`() {
    var fixture = ServerCoreFixture()
    fixture.operatorRequests = []
    let stream = fixture.request(DaemonRequest(.events, purpose: "p"))
    #expect(!fixture.text(stream).contains("advice"), "\(fixture.text(stream))")
  }

  @Test func `without a timeout, a location request that needs an operator is refused at once`() throws {
    var fixture = ServerCoreFixture()
    fixture.publishFix()
    let brief = try DaemonRequest(method: "GET", target: "/v1/location?purpose=p")
    let refused = fixture.request(brief)
    #expect(fixture.text(refused).hasPrefix("HTTP/1.1 403 "))
    #expect(fixture.text(refused).contains("sudo fixcast auth allow uid=1000"))
    #expect(fixture.asked.isEmpty)
    // With a timeout, the request waits, and is answered as soon as access is granted.
    let patient = try DaemonRequest(method: "GET", target: "/v1/location?purpose=p&timeout=30")
    let waiting = fixture.request(patient, process: 8)
    #expect(fixture.text(waiting).isEmpty && fixture.asked.count == 1)
    fixture.decide(Self.full, at: 1)
    #expect(fixture.text(waiting).contains(ServerCoreFixture.latitude))
    fixture.operatorRequests = []
    let byRule = fixture.request(brief, process: 9)
    #expect(fixture.text(byRule).isEmpty && fixture.asked.count == 2)
    let plain = try DaemonRequest(method: "GET", target: "/v1/location")
    let unasked = fixture.request(plain, process: 10)
    #expect(fixture.text(unasked).hasPrefix("HTTP/1.1 403 ") && fixture.asked.count == 2)
  }

  private static let objects = [
    ServerObject(name: "PATH", json: Array(#"{"class":"PATH"}"#.utf8), for: .authorized),
    ServerObject(name: "WEATHER", json: Array(#"{"class":"WEATHER","lat":54.09}"#.utf8), for: .fullAccuracy),
  ]

  @Test func `a client with reduced accuracy gets only the weather for its current grid cell`() throws {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    fixture.publishFix()
    let id = fixture.request(Self.events)
    for object in Self.objects { fixture.handle(.published(.object(object))) }
    #expect(fixture.classes(id) == ["AUTH", "TPV", "PATH"])
    let currentCell = try #require(fixture.core.server.latest.reduced?.coordinate)
    let otherCell = try #require(Coordinate(latitudeDegrees: 54.125, longitudeDegrees: 10.8))
    for cell in [otherCell, currentCell] {
      fixture.handle(.published(.object(ServerObject(name: "WEATHER", json: [0x7B, 0x7D], for: .cell(cell)))))
    }
    #expect(fixture.classes(id) == ["AUTH", "TPV", "PATH", "WEATHER"])
  }

  @Test func `after a revocation, no location is sent, not even a queued location`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.request(Self.events)
    fixture.stuck = [id]
    fixture.handle(.published(.object(Self.objects[0])))
    fixture.publishFix()
    fixture.publishSky()
    #expect(fixture.classes(id) == ["AUTH", "PATH"])
    fixture.decide(Authorization(.denied))
    fixture.publishFix()
    fixture.stuck = []
    fixture.handle(.written(id))
    #expect(fixture.classes(id) == ["AUTH", "PATH", "AUTH"])
    #expect(!fixture.ended.contains(id))
    #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
  }

  @Test func `a revocation while a location is being written aborts the connection`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.request(Self.events)
    fixture.stuck = [id]
    fixture.publishFix()
    fixture.decide(Self.reduced)
    #expect(fixture.ended.contains(id))
  }

  @Test func `after a change of a client's accuracy, its stream gets locations with the new accuracy`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.request(Self.events)
    fixture.publishFix()
    let before = fixture.text(id).utf8.count
    fixture.decide(Self.reduced)
    fixture.publishFix()
    let newText = String(fixture.text(id).utf8.dropFirst(before)) ?? ""
    #expect(!newText.contains(ServerCoreFixture.latitude))
    #expect(fixture.classes(id) == ["AUTH", "TPV", "AUTH", "TPV"])
    fixture.decide(Self.full)
    #expect(fixture.classes(id).suffix(2) == ["AUTH", "TPV"])
  }

  @Test func `a request with a purpose waits for an operator's decision, and is then served`() {
    var fixture = ServerCoreFixture()
    let stream = fixture.request(DaemonRequest(.events, purpose: "watch"))
    let once = fixture.request(DaemonRequest(.location(timeoutSeconds: 60), purpose: "once"))
    #expect(fixture.asked.count == 1)
    fixture.handle(.answered(fixture.asked[0].key, fixture.asked[0].number, .pending))
    fixture.publishFix()
    #expect(fixture.classes(stream) == ["AUTH"])
    #expect(fixture.text(once).isEmpty)
    fixture.decide(Authorization(.authorizedWhenInUse))
    #expect(fixture.classes(stream) == ["AUTH", "AUTH", "TPV"])
    #expect(fixture.text(once).contains(ServerCoreFixture.latitude))
    #expect(fixture.ended.contains(once))
  }

  @Test func `an undecided authorization request is answered after its timeout`() {
    var fixture = ServerCoreFixture()
    let ask = DaemonAuthorizationRequest(.always, purpose: "log", timeoutSeconds: 20)
    let first = fixture.request(DaemonRequest(.authorization(ask)))
    fixture.handle(.answered(fixture.asked[0].key, fixture.asked[0].number, .pending))
    fixture.advance(seconds: 19)
    #expect(fixture.text(first).isEmpty)
    fixture.advance(seconds: 2)
    #expect(fixture.text(first).contains(#""pending":true"#))
    #expect(fixture.actions.contains(.closePolicy(fixture.opened[0])))
    var immediate = ask
    immediate.timeoutSeconds = 0
    let second = fixture.request(DaemonRequest(.authorization(immediate)), user: 1001)
    fixture.handle(.answered(fixture.asked[1].key, fixture.asked[1].number, .decided(Self.full)))
    #expect(fixture.text(second).contains("authorizedAlways"))
  }

  @Test func `temporary full accuracy ends after its duration on all streams of the process`() throws {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    fixture.publishFix()
    let stream = fixture.request(Self.events)
    let ask = DaemonAuthorizationRequest(.temporaryFull, purpose: "rescue")
    let id = fixture.request(DaemonRequest(.authorization(ask)))
    guard case .askFullAccuracy(id, _, "rescue", let number)? = fixture.actions.last else {
      Issue.record("full accuracy was not requested")
      return
    }
    fixture.handle(.answeredFullAccuracy(fixture.opened[0], number, .granted(duration: .seconds(60))))
    #expect(fixture.text(id).contains(#""accuracy":"full""#))
    fixture.publishFix()
    #expect(fixture.text(stream).contains(ServerCoreFixture.latitude))
    fixture.advance(seconds: 61)
    let before = fixture.text(stream).utf8.count
    fixture.publishFix()
    #expect(fixture.classes(stream).suffix(2) == ["AUTH", "TPV"])
    #expect(!String(fixture.text(stream).dropFirst(before)).contains(ServerCoreFixture.latitude))
  }

  @Test func `a systemd unit with authorization while in use gets locations on its open stream`() {
    var fixture = ServerCoreFixture(initial: Authorization(.authorizedWhenInUse))
    let stream = fixture.request(Self.events, unit: "a.service", process: 1)
    fixture.publishFix()
    #expect(fixture.classes(stream) == ["AUTH", "TPV"])
    #expect(!fixture.text(stream).contains("inUse"))
  }

  @Test func `a stream with a purpose requests authorization while in use, also for a systemd unit`() {
    var fixture = ServerCoreFixture()
    let idle = fixture.request(DaemonRequest(.events, purpose: "log"), unit: "a.service", process: 1)
    fixture.request(DaemonRequest(.events, purpose: "log", activity: "survey"), unit: "a.service", process: 2)
    fixture.request(DaemonRequest(.events, purpose: "log"), process: 3)
    let asked = fixture.actions.compactMap { action -> AuthorizationRequest? in
      if case .ask(_, let request, _, _) = action { request } else { nil }
    }
    #expect(asked == [.whenInUse, .whenInUse, .whenInUse])
    let first = fixture.asked[0]
    fixture.handle(.answered(first.key, first.number, .decided(Authorization(.authorizedWhenInUse))))
    fixture.publishFix()
    #expect(fixture.classes(idle).suffix(2) == ["AUTH", "TPV"])
  }

  @Test(
    arguments: [
      (nil, .notDetermined, "fixcast auth allow uid=1000\""),
      ("a.service", .notDetermined, "fixcast auth allow uid=1000 unit=a.service\""),
      ("a.service", .denied, "fixcast auth allow uid=1000 unit=a.service\""),
    ] as [(String?, AuthorizationStatus, String)])
  func `the command in a refusal grants access to the refused program`(
    unit: String?, status: AuthorizationStatus, command: String
  ) {
    var fixture = ServerCoreFixture(initial: Authorization(status))
    let id = fixture.request(DaemonRequest(.location(timeoutSeconds: 1)), unit: unit)
    fixture.advance(seconds: 2)
    #expect(fixture.text(id).contains(command), "\(fixture.text(id))")
  }

  @Test func `the daemon's status contains the client's identity, but no location`() throws {
    var fixture = ServerCoreFixture(initial: Authorization(.denied))
    fixture.publishFix()
    let id = fixture.request(DaemonRequest(.status), unit: "a.service")
    let body = try #require(fixture.text(id).split(separator: "\r\n\r\n").last)
    let status = try DaemonStatus(json: Array(body.utf8))
    #expect(status.client == "uid=1000 unit=a.service")
    #expect(status.authorization.authorization.status == .denied)
    #expect(!body.contains(ServerCoreFixture.latitude))
  }

  @Test(
    arguments: [
      (1000, "a.service", Authorization(.denied), false),
      (1000, "a.service", Authorization(.notDetermined), false),
      (1000, nil, Authorization(.authorizedAlways, accuracy: .reducedAccuracy), false),
      (1000, "a.service", Authorization(.authorizedAlways, accuracy: .fullAccuracy), true),
      (0, "a.service", Authorization(.denied), false), (0, nil, Authorization(.denied), true),
      (0, "a.service", Authorization(.authorizedAlways), true),
      (0, "ssh.service", Authorization(.denied), true),
    ] as [(UInt32, String?, Authorization, Bool)])
  func `only root in a login and clients with full accuracy get error texts in the status`(
    user: UInt32, unit: String?, authorization: Authorization, isIncluded: Bool
  ) {
    var fixture = ServerCoreFixture(initial: authorization)
    // Root in a login is authorized until a decision is made.
    fixture.request(Self.events, user: user, unit: unit)
    fixture.decide(authorization)
    let id = fixture.request(DaemonRequest(.status), user: user, unit: unit)
    #expect(fixture.text(id).contains(#""in":1"#))
    #expect(fixture.text(id).contains("lastError") == isIncluded)
    #expect(fixture.text(id).contains(ServerCoreFixture.latitude) == isIncluded)
  }

  @Test func `without rules and decisions, root's programs are authorized in a login, but not in a unit`() {
    var fixture = ServerCoreFixture()
    fixture.publishFix()
    let shell = fixture.request(Self.events, user: 0, process: 1)
    let unit = fixture.request(Self.events, user: 0, unit: "a.service", process: 2)
    let ssh = fixture.request(Self.events, user: 0, unit: "ssh.service", process: 3)
    for login in [shell, ssh] { #expect(fixture.classes(login) == ["AUTH", "TPV"]) }
    #expect(fixture.classes(unit) == ["AUTH"])
    var container = ClientIdentity(userID: 0)
    container.isInOtherGroup = true
    #expect(fixture.core.server.clients.base(of: container) == nil)
  }
}
