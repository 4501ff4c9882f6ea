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
    var world = ServerWorld(initial: Self.full)
    world.publishFix()
    world.publishSky()
    let id = world.request(Self.events)
    #expect(world.text(id).hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
    #expect(world.classes(id) == ["AUTH", "TPV", "SKY"])
    world.publishFix()
    #expect(world.classes(id) == ["AUTH", "TPV", "SKY", "TPV"])
    #expect(world.text(id).contains(ServerWorld.latitude))
  }

  @Test func `a client with reduced accuracy gets a location every quarter of an hour, no satellites`() {
    var world = ServerWorld(initial: Self.reduced)
    let id = world.request(Self.events)
    for step in 0..<1000 {
      world.publishFix(latitude: 54.093468333 + Double(step) * 1e-4)
      world.publishSky()
      world.advance(seconds: 1)
    }
    let text = world.text(id)
    #expect(world.classes(id) == ["AUTH", "TPV", "TPV"])
    #expect(!text.contains("54.0934") && !text.contains("10.8246"))
    #expect(!text.contains("sats") && !text.contains("PRN"))
    #expect(text.contains(#""lat":54.075000000"#))
  }

  @Test func `headings and the errors of speed and course are sent only with full accuracy`() {
    for isReduced in [false, true] {
      var world = ServerWorld(initial: isReduced ? Self.reduced : Self.full)
      let early = world.request(Self.events)
      let fix = Fix.at(54.09, 10.82) {
        ($0.headingDegreesTrue, $0.receivedAt) = (341.8, world.now)
        ($0.speedAccuracyMetersPerSecond, $0.courseAccuracyDegrees) = (0.8, 12.5)
      }
      world.handle(.published(.fix(fix)))
      let late = world.request(Self.events)
      for id in [early, late] {
        #expect(world.classes(id) == (isReduced ? ["AUTH", "TPV"] : ["AUTH", "ATT", "TPV"]))
        for field in [#""heading":341.8"#, #""eps":0.8"#, #""epd":12.5"#] {
          #expect(world.text(id).contains(field) != isReduced, "\(world.text(id))")
        }
      }
    }
  }

  @Test func `a location with reduced accuracy has no age, which would reveal the exact time`() {
    var world = ServerWorld(initial: Self.reduced)
    let id = world.request(Self.events)
    world.publishFix()
    #expect(world.text(id).contains("event: TPV"))
    #expect(!world.text(id).contains(#""age":"#), "\(world.text(id))")
  }

  @Test func `fixes without a position are sent to clients with reduced accuracy as rarely as locations`() {
    var world = ServerWorld(initial: Self.reduced)
    let id = world.request(Self.events)
    for step in 0..<80 {
      world.publishFix(mode: step % 2 == 0 ? .none : .threeDimensional)
      world.advance(seconds: 10)
    }
    // The client has received one fix without a position, and one reduced location.
    #expect(world.classes(id) == ["AUTH", "TPV", "TPV"])
    for _ in 0..<20 {
      world.publishFix(mode: .none)
      world.advance(seconds: 10)
    }
    #expect(world.classes(id) == ["AUTH", "TPV", "TPV", "TPV"])
  }

  @Test func `a client that reconnects, even as another user, gets the same reduced location`() {
    var world = ServerWorld(initial: Self.reduced)
    var latitudes: Set<String> = []
    for step in 0..<60 {
      world.publishFix(latitude: 54.0 + Double(step) * 0.01)
      let id = world.request(
        DaemonRequest(.location(timeoutSeconds: 5)), user: UInt32(2000 + step % 3))
      let parts = world.text(id).split(separator: "\"lat\":")
      latitudes.insert(String(parts.last?.prefix(12) ?? ""))
      world.advance(seconds: 10)
    }
    #expect(latitudes == ["54.025000000"])
  }

  @Test(arguments: [
    AuthorizationStatus.notDetermined, .denied, .restricted,
  ])
  func `a client without authorization gets only its authorization or a refusal`(status: AuthorizationStatus) {
    var world = ServerWorld(initial: Authorization(status))
    world.publishFix()
    let stream = world.request(Self.events)
    let once = world.request(DaemonRequest(.location(timeoutSeconds: 5)))
    for object in Self.objects { world.handle(.published(.object(object))) }
    for _ in 0..<5 {
      world.publishFix()
      world.publishSky()
      world.advance(seconds: 1)
    }
    #expect(world.classes(stream) == ["AUTH"])
    #expect(world.text(once).hasPrefix("HTTP/1.1 403 "))
    #expect(world.text(once).contains("fixcast auth"))
    for id in [stream, once] {
      #expect(!world.text(id).contains(ServerWorld.latitude))
      #expect(!world.text(id).contains("WEATHER"))
    }
  }

  @Test func `a stream without a decision begins with the command that grants access, until it is given`() {
    var world = ServerWorld()
    let advice = #""advice":"allow it with: sudo fixcast auth allow uid=1000""#
    let stream = world.request(DaemonRequest(.events, purpose: "p"))
    #expect(world.text(stream).contains(advice), "\(world.text(stream))")
    world.decide(Self.full)
    world.publishFix()
    #expect(world.text(stream).contains(ServerWorld.latitude))
    let last = world.text(stream).split(separator: "event: AUTH").last ?? ""
    #expect(!last.contains("advice"), "\(last)")
    let status = world.request(DaemonRequest(.status))
    #expect(world.text(status).contains("STATUS") && !world.text(status).contains("advice"))
  }

  @Test func `an authorization contains no advice if a rule decides without an operator`() {
    var world = ServerWorld()
    world.operatorRequests = []
    let stream = world.request(DaemonRequest(.events, purpose: "p"))
    #expect(!world.text(stream).contains("advice"), "\(world.text(stream))")
  }

  @Test func `without a timeout, a location request that needs an operator is refused at once`() throws {
    var world = ServerWorld()
    world.publishFix()
    let brief = try DaemonRequest(method: "GET", target: "/v1/location?purpose=p")
    let refused = world.request(brief)
    #expect(world.text(refused).hasPrefix("HTTP/1.1 403 "))
    #expect(world.text(refused).contains("sudo fixcast auth allow uid=1000"))
    #expect(world.asked.isEmpty)
    // With a timeout, the request waits, and is answered as soon as access is granted.
    let patient = try DaemonRequest(method: "GET", target: "/v1/location?purpose=p&timeout=30")
    let waiting = world.request(patient, process: 8)
    #expect(world.text(waiting).isEmpty && world.asked.count == 1)
    world.decide(Self.full, at: 1)
    #expect(world.text(waiting).contains(ServerWorld.latitude))
    world.operatorRequests = []
    let byRule = world.request(brief, process: 9)
    #expect(world.text(byRule).isEmpty && world.asked.count == 2)
    let plain = try DaemonRequest(method: "GET", target: "/v1/location")
    let unasked = world.request(plain, process: 10)
    #expect(world.text(unasked).hasPrefix("HTTP/1.1 403 ") && world.asked.count == 2)
  }

  private static let objects = [
    ServerObject(name: "PATH", json: Array(#"{"class":"PATH"}"#.utf8), for: .authorized),
    ServerObject(
      name: "WEATHER", json: Array(#"{"class":"WEATHER","lat":54.09}"#.utf8), for: .fullAccuracy),
  ]

  @Test func `a client with reduced accuracy gets only the weather for its current grid cell`() throws {
    var world = ServerWorld(initial: Self.reduced)
    world.publishFix()
    let id = world.request(Self.events)
    for object in Self.objects { world.handle(.published(.object(object))) }
    #expect(world.classes(id) == ["AUTH", "TPV", "PATH"])
    let currentCell = try #require(world.core.latest.reduced?.coordinate)
    let otherCell = try #require(Coordinate(latitudeDegrees: 54.125, longitudeDegrees: 10.8))
    for cell in [otherCell, currentCell] {
      world.handle(
        .published(.object(ServerObject(name: "WEATHER", json: [0x7B, 0x7D], for: .cell(cell)))))
    }
    #expect(world.classes(id) == ["AUTH", "TPV", "PATH", "WEATHER"])
  }

  @Test func `after a revocation, no location is sent, not even a queued location`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.request(Self.events)
    world.stuck = [id]
    world.handle(.published(.object(Self.objects[0])))
    world.publishFix()
    world.publishSky()
    #expect(world.classes(id) == ["AUTH", "PATH"])
    world.decide(Authorization(.denied))
    world.publishFix()
    world.stuck = []
    world.handle(.written(id))
    #expect(world.classes(id) == ["AUTH", "PATH", "AUTH"])
    #expect(!world.ended.contains(id))
    #expect(!world.text(id).contains(ServerWorld.latitude))
  }

  @Test func `a revocation while a location is being written aborts the connection`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.request(Self.events)
    world.stuck = [id]
    world.publishFix()
    world.decide(Self.reduced)
    #expect(world.ended.contains(id))
  }

  @Test func `after a change of a client's accuracy, its stream gets locations with the new accuracy`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.request(Self.events)
    world.publishFix()
    let before = world.text(id).utf8.count
    world.decide(Self.reduced)
    world.publishFix()
    let newText = String(world.text(id).utf8.dropFirst(before)) ?? ""
    #expect(!newText.contains(ServerWorld.latitude))
    #expect(world.classes(id) == ["AUTH", "TPV", "AUTH", "TPV"])
    world.decide(Self.full)
    #expect(world.classes(id).suffix(2) == ["AUTH", "TPV"])
  }

  @Test func `a request with a purpose waits for an operator's decision, and is then served`() {
    var world = ServerWorld()
    let stream = world.request(DaemonRequest(.events, purpose: "watch"))
    let once = world.request(DaemonRequest(.location(timeoutSeconds: 60), purpose: "once"))
    #expect(world.asked.count == 1)
    world.handle(.answered(world.asked[0].key, world.asked[0].number, .pending))
    world.publishFix()
    #expect(world.classes(stream) == ["AUTH"])
    #expect(world.text(once).isEmpty)
    world.decide(Authorization(.authorizedWhenInUse))
    #expect(world.classes(stream) == ["AUTH", "AUTH", "TPV"])
    #expect(world.text(once).contains(ServerWorld.latitude))
    #expect(world.ended.contains(once))
  }

  @Test func `an undecided authorization request is answered after its timeout`() {
    var world = ServerWorld()
    let ask = DaemonAuthorizationRequest(.always, purpose: "log", timeoutSeconds: 20)
    let first = world.request(DaemonRequest(.authorization(ask)))
    world.handle(.answered(world.asked[0].key, world.asked[0].number, .pending))
    world.advance(seconds: 19)
    #expect(world.text(first).isEmpty)
    world.advance(seconds: 2)
    #expect(world.text(first).contains(#""pending":true"#))
    #expect(world.actions.contains(.closePolicy(world.opened[0])))
    var immediate = ask
    immediate.timeoutSeconds = 0
    let second = world.request(DaemonRequest(.authorization(immediate)), user: 1001)
    world.handle(.answered(world.asked[1].key, world.asked[1].number, .decided(Self.full)))
    #expect(world.text(second).contains("authorizedAlways"))
  }

  @Test func `temporary full accuracy ends after its duration on all streams of the process`() throws {
    var world = ServerWorld(initial: Self.reduced)
    world.publishFix()
    let stream = world.request(Self.events)
    let ask = DaemonAuthorizationRequest(.temporaryFull, purpose: "rescue")
    let id = world.request(DaemonRequest(.authorization(ask)))
    let number = world.core.fullAccuracyCount
    world.handle(.answeredFullAccuracy(world.opened[0], number, .granted(duration: .seconds(60))))
    #expect(world.text(id).contains(#""accuracy":"full""#))
    world.publishFix()
    #expect(world.text(stream).contains(ServerWorld.latitude))
    world.advance(seconds: 61)
    let before = world.text(stream).utf8.count
    world.publishFix()
    #expect(world.classes(stream).suffix(2) == ["AUTH", "TPV"])
    #expect(!String(world.text(stream).dropFirst(before)).contains(ServerWorld.latitude))
  }

  @Test func `a systemd unit with authorization while in use gets locations on its open stream`() {
    var world = ServerWorld(initial: Authorization(.authorizedWhenInUse))
    let stream = world.request(Self.events, unit: "a.service", process: 1)
    world.publishFix()
    #expect(world.classes(stream) == ["AUTH", "TPV"])
    #expect(!world.text(stream).contains("inUse"))
  }

  @Test func `a stream with a purpose requests authorization while in use, also for a systemd unit`() {
    var world = ServerWorld()
    let idle = world.request(
      DaemonRequest(.events, purpose: "log"), unit: "a.service", process: 1)
    world.request(
      DaemonRequest(.events, purpose: "log", activity: "survey"), unit: "a.service", process: 2)
    world.request(DaemonRequest(.events, purpose: "log"), process: 3)
    let asked = world.actions.compactMap { action -> AuthorizationRequest? in
      if case .ask(_, let request, _, _) = action { request } else { nil }
    }
    #expect(asked == [.whenInUse, .whenInUse, .whenInUse])
    let first = world.asked[0]
    world.handle(
      .answered(first.key, first.number, .decided(Authorization(.authorizedWhenInUse))))
    world.publishFix()
    #expect(world.classes(idle).suffix(2) == ["AUTH", "TPV"])
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
    var world = ServerWorld(initial: Authorization(status))
    let id = world.request(DaemonRequest(.location(timeoutSeconds: 1)), unit: unit)
    world.advance(seconds: 2)
    #expect(world.text(id).contains(command), "\(world.text(id))")
  }

  @Test func `the daemon's status contains the client's identity, but no location`() throws {
    var world = ServerWorld(initial: Authorization(.denied))
    world.publishFix()
    let id = world.request(DaemonRequest(.status), unit: "a.service")
    let body = try #require(world.text(id).split(separator: "\r\n\r\n").last)
    let status = try DaemonStatus(json: Array(body.utf8))
    #expect(status.client == "uid=1000 unit=a.service")
    #expect(status.authorization.authorization.status == .denied)
    #expect(!body.contains(ServerWorld.latitude))
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
    var world = ServerWorld(initial: authorization)
    // Root in a login is authorized until a decision is made.
    world.request(Self.events, user: user, unit: unit)
    world.decide(authorization)
    let id = world.request(DaemonRequest(.status), user: user, unit: unit)
    #expect(world.text(id).contains(#""in":1"#))
    #expect(world.text(id).contains("lastError") == isIncluded)
    #expect(world.text(id).contains(ServerWorld.latitude) == isIncluded)
  }

  @Test func `without rules and decisions, root's programs are authorized in a login, but not in a unit`() {
    var world = ServerWorld()
    world.publishFix()
    let shell = world.request(Self.events, user: 0, process: 1)
    let unit = world.request(Self.events, user: 0, unit: "a.service", process: 2)
    let ssh = world.request(Self.events, user: 0, unit: "ssh.service", process: 3)
    for login in [shell, ssh] { #expect(world.classes(login) == ["AUTH", "TPV"]) }
    #expect(world.classes(unit) == ["AUTH"])
    var container = ClientIdentity(userID: 0)
    container.isInOtherGroup = true
    #expect(world.core.base(of: container) == nil)
  }
}
