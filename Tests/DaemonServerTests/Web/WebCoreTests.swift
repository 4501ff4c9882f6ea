// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("The status page in the server core") struct WebCoreTests {
  private static let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)

  private static func session(_ user: UInt32, seconds: Double = 43_200) -> WebSession {
    WebSession(
      number: 3, client: ClientIdentity(userID: user),
      end: ServerWorld().now.advanced(bySeconds: seconds))
  }

  private static func page(_ request: DaemonRequest.Subject = .events) -> DaemonRequest {
    var request = DaemonRequest(request, purpose: "status page")
    request.isPage = true
    return request
  }

  /// Returns a world with a position, satellites, weather and a forecast.
  private static func world(
    _ initial: Authorization = Authorization(.authorizedAlways)
  ) -> ServerWorld {
    var world = ServerWorld(initial: initial)
    for second in 0..<3 {
      let fix = Fix.at(54.093468333, 10.824651667, time: .noon(plus: second * 10)) {
        ($0.altitudeMetersAboveSeaLevel, $0.receivedAt) = (40.8, world.now)
      }
      world.handle(.published(.fix(fix)))
      world.advance(seconds: 10)
    }
    world.publishFix()
    world.publishSky()
    let weather = ServerObject(
      name: "WEATHER", json: Array(#"{"class":"WEATHER","lat":54.09}"#.utf8), for: .fullAccuracy,
      keeping: .newest(subject: nil))
    var forecast = ServerObject(
      name: "FORECAST", json: Array(#"{"class":"FORECAST","lat":54.09}"#.utf8), for: .fullAccuracy,
      keeping: .newest(subject: nil))
    forecast.isOnRequest = true
    for object in [weather, forecast] { world.handle(.published(.object(object))) }
    return world
  }

  private static func get(
    _ value: DaemonValue, _ world: inout ServerWorld, user: UInt32 = 1000
  ) -> String {
    let id = world.request(
      DaemonRequest(.value(value), purpose: "status page"), user: user, session: session(user))
    return world.text(id)
  }

  @Test func `a client with full accuracy gets each value`() {
    var world = Self.world()
    for (value, content) in [
      (DaemonValue.lastLocation, ServerWorld.latitude), (.sky, #""class":"SKY""#),
      (.weather, #""class":"WEATHER""#), (.forecast, #""class":"FORECAST""#),
      (.track, "[[1795262400,54.093468,10.824652],[1795262410,"), (.places, #""class":"PLACES""#),
      (.authorization, #""role":"look""#), (.page, "3D fix, 0.0 s old"),
    ] {
      let text = Self.get(value, &world)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains(content), "\(text)")
    }
    #expect(!Self.get(.lastLocation, &world).contains("\"last\""))
    world.advance(seconds: 100)
    let old = Self.get(.lastLocation, &world)
    #expect(old.contains(#""last":true"#) && old.contains(#""age":100"#), "\(old)")
    #expect(Self.get(.sky, &world).hasPrefix("HTTP/1.1 404 "))
  }

  @Test func `a client with reduced accuracy gets no satellites, no track and no altitude`() {
    var world = Self.world(Self.reduced)
    for value in DaemonValue.allCases {
      let text = Self.get(value, &world)
      let isRefused = [.sky, .track].contains(value)
      #expect(text.hasPrefix("HTTP/1.1 403 ") == isRefused, "\(value): \(text)")
      for secret in ["54.0934", "10.8246", "altMSL", "\"el\"", "speed"] {
        #expect(!text.contains(secret), "\(value): \(text)")
      }
    }
    let text = Self.get(.lastLocation, &world)
    #expect(text.contains(#""class":"TPV""#) && text.contains("lat"), "\(text)")
    // There is only weather for clients with full accuracy.
    #expect(Self.get(.weather, &world).hasPrefix("HTTP/1.1 404 "))
    let stream = world.request(Self.page(), session: Self.session(1000))
    world.publishSky()
    #expect(!world.classes(stream).contains("SKY") && !world.text(stream).contains("altMSL"))
  }

  @Test(arguments: [Authorization(.denied), Authorization(.notDetermined)])
  func `a client without access gets no value, and its page has the command that gives it access`(
    initial: Authorization
  ) {
    var world = Self.world(initial)
    for value in DaemonValue.allCases where ![.page, .authorization].contains(value) {
      let text = Self.get(value, &world)
      #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("fixcast auth allow"), "\(text)")
    }
    for value in [DaemonValue.page, .authorization] {
      let text = Self.get(value, &world)
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("fixcast auth allow"), "\(text)")
      #expect(!text.contains("54.09"))
    }
  }

  @Test func `without a position, there is no last position and no place`() {
    var world = ServerWorld(initial: Authorization(.authorizedAlways))
    for value in [DaemonValue.lastLocation, .places] {
      let text = Self.get(value, &world)
      #expect(text.hasPrefix("HTTP/1.1 404 ") && text.contains("noFix"), "\(text)")
    }
    #expect(Self.get(.track, &world).contains(#""points":[]"#))
    #expect(Self.get(.page, &world).contains("No position"))
  }

  @Test func `only root decides, and the reason names the session`() throws {
    let json = Array(#"{"request":"17","decision":"allow","hours":2}"#.utf8)
    let decision = try DaemonDecision(json: json)
    var world = Self.world()
    let look = world.request(DaemonRequest(.decision(decision)), session: Self.session(1000))
    #expect(world.text(look).hasPrefix("HTTP/1.1 403 ") && world.decided.isEmpty)
    let root = world.request(
      DaemonRequest(.decision(decision)), user: 0, session: Self.session(0))
    #expect(world.text(root).contains(#""role":"decide","requests":[]"#), "\(world.text(root))")
    let recorded = try #require(world.decided.first)
    #expect(recorded.number == 17 && recorded.by == 0 && recorded.decision == decision)
    #expect(recorded.reason == "web session 3, link created by root")
    world.decisionFault = .noRequest
    let late = world.request(DaemonRequest(.decision(decision)), user: 0)
    #expect(world.text(late).hasPrefix("HTTP/1.1 404 "))
    #expect(world.decided.last?.reason == "status page through the daemon's socket")
  }

  @Test(arguments: ["a.service", "docker-12ab.scope", nil], [true, false])
  func `a service or container of root neither decides nor sees requests, also with a session`(
    unit: String?, hasSession: Bool
  ) throws {
    let json = Array(#"{"request":"17","decision":"allow"}"#.utf8)
    var world = Self.world(Authorization(.notDetermined))
    world.requests = Array(#"[{"id":"17"}]"#.utf8)
    var client = ClientIdentity(userID: 0, systemUnit: unit)
    client.isInOtherGroup = unit == nil
    let session = hasSession ? Self.session(0) : nil
    func send(_ request: DaemonRequest) -> UInt64 {
      world.request(request, by: client, session: session)
    }
    let decision = send(DaemonRequest(.decision(try DaemonDecision(json: json))))
    let text = world.text(decision)
    #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("mayNotDecide"), "\(text)")
    #expect(text.contains("sudo fixcast auth pending"), "\(text)")
    let page = send(Self.page())
    let role = send(DaemonRequest(.value(.authorization), purpose: "status page"))
    world.handle(.web(.requests(nil, world.requests)))
    #expect(world.text(role).contains(#""role":"look""#), "\(world.text(role))")
    #expect(!world.text(role).contains("17") && !world.text(page).contains("REQUESTS"))
    #expect(world.decided.isEmpty && !world.core.wantsRequests)
  }

  @Test func `the requests that wait are sent to pages of root at the start and after each change`() {
    var world = Self.world()
    world.requests = Array(#"[{"id":"1"}]"#.utf8)
    let page = world.request(Self.page(), user: 0, session: Self.session(0))
    let other = world.request(DaemonRequest(.events, purpose: "a"), user: 0)
    let look = world.request(Self.page(), session: Self.session(1000))
    #expect(world.core.wantsRequests)
    #expect(world.text(page).contains(#""requests":[{"id":"1"}]"#), "\(world.text(page))")
    world.handle(.web(.requests(nil, world.requests)))
    #expect(world.classes(page).count { $0 == "REQUESTS" } == 1)
    world.handle(.web(.requests(nil, Array("[]".utf8))))
    #expect(world.classes(page).count { $0 == "REQUESTS" } == 2)
    for id in [other, look] { #expect(!world.text(id).contains("REQUESTS")) }
    world.close(page)
    #expect(!world.core.wantsRequests)
  }

  @Test func `each event of a page has a number; other streams have none, and no stream a forecast`() {
    var world = Self.world()
    let page = world.request(Self.page(), session: Self.session(1000))
    let other = world.request(DaemonRequest(.events, purpose: "a"))
    world.publishSky()
    let lines = world.text(page).split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }
    #expect(lines == (0..<lines.count).map { "id: \($0)" } && lines.count >= 5, "\(lines)")
    #expect(!world.text(other).contains("id: "))
    #expect(world.classes(page).first == "AUTH" && world.classes(page).contains("WEATHER"))
    #expect(!world.text(page).contains("FORECAST") && !world.text(other).contains("FORECAST"))
  }

  @Test func `a stream ends with its session, and at once if the session is removed`() {
    var world = Self.world()
    let first = world.request(Self.page(), session: Self.session(1000, seconds: 600))
    let second = world.request(Self.page(), user: 0)
    world.advance(seconds: 500)
    #expect(world.ended.isEmpty)
    world.advance(seconds: 200)
    #expect(world.ended == [first])
    let third = world.request(Self.page(), session: Self.session(1000))
    world.handle(.web(.sessionEnded(4)))
    #expect(world.ended == [first])
    world.handle(.web(.sessionEnded(3)))
    #expect(world.ended == [first, third] && !world.ended.contains(second))
  }

  @Test func `a request that waits ends with its session, with the reason`() {
    let ask = DaemonAuthorizationRequest(.whenInUse, purpose: "a", timeoutSeconds: 3600)
    for (initial, subject) in [
      (Authorization(.authorizedAlways), DaemonRequest.Subject.location(timeoutSeconds: 3600)),
      (Authorization(.notDetermined), .authorization(ask)),
    ] {
      var world = ServerWorld(initial: initial)
      let short = world.request(
        DaemonRequest(subject, purpose: "a"), session: Self.session(1000, seconds: 600))
      world.advance(seconds: 599)
      #expect(world.ended.isEmpty)
      world.advance(seconds: 2)
      let text = world.text(short)
      #expect(text.hasPrefix("HTTP/1.1 401 ") && text.contains("noSession"), "\(text)")
      #expect(world.ended == [short])
      // A timeout before the end of the session stays.
      world = ServerWorld(initial: initial)
      let long = world.request(DaemonRequest(subject, purpose: "a"), session: Self.session(1000))
      world.advance(seconds: 3601)
      #expect(world.ended == [long] && !world.text(long).contains("noSession"))
    }
  }

  @Test func `a page that reads slowly still gets the newest list of requests, and only that`() {
    var world = Self.world()
    let page = world.request(Self.page(), user: 0, session: Self.session(0))
    world.stuck = [page]
    world.publishSky()
    for number in 1...2 {
      world.handle(.web(.requests(nil, Array(#"[{"id":"\#(number)"}]"#.utf8))))
    }
    for _ in 0..<100 { world.publishSky() }
    world.stuck = []
    world.handle(.written(page))
    let text = world.text(page)
    #expect(text.contains(#"[{"id":"2"}]"#) && !text.contains(#"[{"id":"1"}]"#), "\(text)")
  }

  @Test func `the browsers of a user have their own limit of connections, and leave room for programs`() {
    var world = Self.world()
    for _ in 0..<80 { world.request(Self.page(), session: Self.session(1000)) }
    #expect(world.core.connections.count == 32)
    for user: UInt32 in [1001, 1002] {
      for _ in 0..<30 { world.request(Self.page(), user: user, session: Self.session(user)) }
    }
    #expect(world.core.connections.count == 64)
    let root = world.request(Self.page(), user: 0, session: Self.session(0))
    #expect(world.classes(root).contains("TPV"))
    let id = world.request(DaemonRequest(.status))
    #expect(world.text(id).hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `browsers that do not read a file make room for browsers with a session`() {
    var world = Self.world()
    for number in 0..<64 {
      let id = world.nextID()
      let owner = ConnectionOwner(userID: UInt32(2000 + number % 2), isBrowser: true)
      guard world.core.connect(id, owner: owner, at: world.now) == nil else { continue }
      world.stuck.insert(id)
      world.handle(.connected(id))
      world.handle(.web(.answered(id, [[1, 2, 3], [4, 5, 6]])))
    }
    let pages = (0..<24).map { _ in world.request(Self.page(), session: Self.session(1000)) }
    for page in pages { #expect(world.classes(page).contains("TPV")) }
    #expect(world.ended.isSubset(of: world.stuck) && world.core.connections.count <= 64)
  }

  @Test func `browsers without a session leave 24 of the 64 places to those with one`() {
    var world = Self.world()
    var silent: Set<UInt64> = []
    for number in 0..<100 {
      let id = world.nextID()
      var owner = ConnectionOwner(userID: .max, isBrowser: true)
      owner.address = [192, 0, 2, UInt8(number / 20)]
      guard world.core.connect(id, owner: owner, at: world.now) == nil else { continue }
      silent.insert(id)
      world.handle(.connected(id))
    }
    #expect(silent.count - world.ended.count == 40 && world.core.connections.count <= 64)
    let pages = (0..<24).map { _ in world.request(Self.page(), session: Self.session(1000)) }
    for page in pages { #expect(world.classes(page).contains("TPV")) }
    #expect(world.ended.isDisjoint(with: pages) && world.ended.isSubset(of: silent))
  }
}
