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
      end: ServerCoreFixture().now.advanced(bySeconds: seconds))
  }

  private static func page(_ request: DaemonRequest.Subject = .events) -> DaemonRequest {
    var request = DaemonRequest(request, purpose: "status page")
    request.isPage = true
    return request
  }

  /// Returns a fixture with a position, satellites, weather and a forecast.
  private static func fixture(_ initial: Authorization = Authorization(.authorizedAlways)) -> ServerCoreFixture {
    var fixture = ServerCoreFixture(initial: initial)
    for second in 0..<3 {
      let fix = Fix.at(54.093468333, 10.824651667, time: .noon(plus: second * 10)) {
        ($0.altitudeMetersAboveSeaLevel, $0.receivedAt) = (40.8, fixture.now)
      }
      fixture.handle(.published(.fix(fix)))
      fixture.advance(seconds: 10)
    }
    fixture.publishFix()
    fixture.publishSky()
    let weather = ServerObject(
      name: "WEATHER", json: Array(#"{"class":"WEATHER","lat":54.09}"#.utf8), for: .fullAccuracy,
      keeping: .newest(subject: nil))
    var forecast = ServerObject(
      name: "FORECAST", json: Array(#"{"class":"FORECAST","lat":54.09}"#.utf8), for: .fullAccuracy,
      keeping: .newest(subject: nil))
    forecast.isOnRequest = true
    for object in [weather, forecast] { fixture.handle(.published(.object(object))) }
    return fixture
  }

  private static func get(_ value: DaemonValue, _ fixture: inout ServerCoreFixture, user: UInt32 = 1000) -> String {
    let id = fixture.request(DaemonRequest(.value(value), purpose: "status page"), user: user, session: session(user))
    return fixture.text(id)
  }

  @Test func `a client with full accuracy gets each value`() {
    var fixture = Self.fixture()
    for (value, content) in [
      (DaemonValue.lastLocation, ServerCoreFixture.latitude), (.sky, #""class":"SKY""#),
      (.weather, #""class":"WEATHER""#), (.forecast, #""class":"FORECAST""#),
      (.track, "[[1795262400,54.093468,10.824652],[1795262410,"), (.places, #""class":"PLACES""#),
      (.authorization, #""role":"look""#), (.page, "3D fix, 0.0 s old"),
    ] {
      let text = Self.get(value, &fixture)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains(content), "\(text)")
    }
    #expect(!Self.get(.lastLocation, &fixture).contains("\"last\""))
    fixture.advance(seconds: 100)
    let old = Self.get(.lastLocation, &fixture)
    #expect(old.contains(#""last":true"#) && old.contains(#""age":100"#), "\(old)")
    #expect(Self.get(.sky, &fixture).hasPrefix("HTTP/1.1 404 "))
  }

  @Test func `a client with reduced accuracy gets no satellites, no track and no altitude`() {
    var fixture = Self.fixture(Self.reduced)
    for value in DaemonValue.allCases {
      let text = Self.get(value, &fixture)
      let isRefused = [.sky, .track].contains(value)
      #expect(text.hasPrefix("HTTP/1.1 403 ") == isRefused, "\(value): \(text)")
      for secret in ["54.0934", "10.8246", "altMSL", "\"el\"", "speed"] {
        #expect(!text.contains(secret), "\(value): \(text)")
      }
    }
    let text = Self.get(.lastLocation, &fixture)
    #expect(text.contains(#""class":"TPV""#) && text.contains("lat"), "\(text)")
    // There is only weather for clients with full accuracy.
    #expect(Self.get(.weather, &fixture).hasPrefix("HTTP/1.1 404 "))
    let stream = fixture.request(Self.page(), session: Self.session(1000))
    fixture.publishSky()
    #expect(!fixture.classes(stream).contains("SKY") && !fixture.text(stream).contains("altMSL"))
  }

  @Test(arguments: [Authorization(.denied), Authorization(.notDetermined)])
  func `a client without access gets no value, and its page has the command that gives it access`(
    initial: Authorization
  ) {
    var fixture = Self.fixture(initial)
    for value in DaemonValue.allCases where ![.page, .authorization].contains(value) {
      let text = Self.get(value, &fixture)
      #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("fixcast auth allow"), "\(text)")
    }
    for value in [DaemonValue.page, .authorization] {
      let text = Self.get(value, &fixture)
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("fixcast auth allow"), "\(text)")
      #expect(!text.contains("54.09"))
    }
  }

  @Test func `without a position, there is no last position and no place`() {
    var fixture = ServerCoreFixture(initial: Authorization(.authorizedAlways))
    for value in [DaemonValue.lastLocation, .places] {
      let text = Self.get(value, &fixture)
      #expect(text.hasPrefix("HTTP/1.1 404 ") && text.contains("noFix"), "\(text)")
    }
    #expect(Self.get(.track, &fixture).contains(#""points":[]"#))
    #expect(Self.get(.page, &fixture).contains("No position"))
  }

  @Test func `only root decides, and the reason names the session`() throws {
    let json = Array(#"{"request":"17","decision":"allow","hours":2}"#.utf8)
    let decision = try DaemonDecision(json: json)
    var fixture = Self.fixture()
    let look = fixture.request(DaemonRequest(.decision(decision)), session: Self.session(1000))
    #expect(fixture.text(look).hasPrefix("HTTP/1.1 403 ") && fixture.decided.isEmpty)
    let root = fixture.request(DaemonRequest(.decision(decision)), user: 0, session: Self.session(0))
    #expect(fixture.text(root).contains(#""role":"decide","requests":[]"#), "\(fixture.text(root))")
    let recorded = try #require(fixture.decided.first)
    #expect(recorded.number == 17 && recorded.by == 0 && recorded.decision == decision)
    #expect(recorded.reason == "web session 3, link created by root")
    fixture.decisionFault = .noRequest
    let late = fixture.request(DaemonRequest(.decision(decision)), user: 0)
    #expect(fixture.text(late).hasPrefix("HTTP/1.1 404 "))
    #expect(fixture.decided.last?.reason == "status page through the daemon's socket")
  }

  @Test(arguments: ["a.service", "docker-12ab.scope", nil], [true, false])
  func `a service or container of root neither decides nor sees requests, also with a session`(
    unit: String?, hasSession: Bool
  ) throws {
    let json = Array(#"{"request":"17","decision":"allow"}"#.utf8)
    var fixture = Self.fixture(Authorization(.notDetermined))
    fixture.requests = Array(#"[{"id":"17"}]"#.utf8)
    var client = ClientIdentity(userID: 0, systemUnit: unit)
    client.isInOtherGroup = unit == nil
    let session = hasSession ? Self.session(0) : nil
    func send(_ request: DaemonRequest) -> UInt64 {
      fixture.request(request, by: client, session: session)
    }
    let decision = send(DaemonRequest(.decision(try DaemonDecision(json: json))))
    let text = fixture.text(decision)
    #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("mayNotDecide"), "\(text)")
    #expect(text.contains("sudo fixcast auth pending"), "\(text)")
    let page = send(Self.page())
    let role = send(DaemonRequest(.value(.authorization), purpose: "status page"))
    fixture.handle(.web(.requests(nil, fixture.requests)))
    #expect(fixture.text(role).contains(#""role":"look""#), "\(fixture.text(role))")
    #expect(!fixture.text(role).contains("17") && !fixture.text(page).contains("REQUESTS"))
    #expect(fixture.decided.isEmpty && !fixture.core.wantsRequests)
  }

  @Test func `the requests that wait are sent to pages of root at the start and after each change`() {
    var fixture = Self.fixture()
    fixture.requests = Array(#"[{"id":"1"}]"#.utf8)
    let page = fixture.request(Self.page(), user: 0, session: Self.session(0))
    let other = fixture.request(DaemonRequest(.events, purpose: "a"), user: 0)
    let look = fixture.request(Self.page(), session: Self.session(1000))
    #expect(fixture.core.wantsRequests)
    #expect(fixture.text(page).contains(#""requests":[{"id":"1"}]"#), "\(fixture.text(page))")
    fixture.handle(.web(.requests(nil, fixture.requests)))
    #expect(fixture.classes(page).count { $0 == "REQUESTS" } == 1)
    fixture.handle(.web(.requests(nil, Array("[]".utf8))))
    #expect(fixture.classes(page).count { $0 == "REQUESTS" } == 2)
    for id in [other, look] { #expect(!fixture.text(id).contains("REQUESTS")) }
    fixture.close(page)
    #expect(!fixture.core.wantsRequests)
  }

  @Test func `each event of a page has a number; other streams have none, and no stream a forecast`() {
    var fixture = Self.fixture()
    let page = fixture.request(Self.page(), session: Self.session(1000))
    let other = fixture.request(DaemonRequest(.events, purpose: "a"))
    fixture.publishSky()
    let lines = fixture.text(page).split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }
    #expect(lines == (0..<lines.count).map { "id: \($0)" } && lines.count >= 5, "\(lines)")
    #expect(!fixture.text(other).contains("id: "))
    #expect(fixture.classes(page).first == "AUTH" && fixture.classes(page).contains("WEATHER"))
    #expect(!fixture.text(page).contains("FORECAST") && !fixture.text(other).contains("FORECAST"))
  }

  @Test func `a stream ends with its session, and at once if the session is removed`() {
    var fixture = Self.fixture()
    let first = fixture.request(Self.page(), session: Self.session(1000, seconds: 600))
    let second = fixture.request(Self.page(), user: 0)
    fixture.advance(seconds: 500)
    #expect(fixture.ended.isEmpty)
    fixture.advance(seconds: 200)
    #expect(fixture.ended == [first])
    let third = fixture.request(Self.page(), session: Self.session(1000))
    fixture.handle(.web(.sessionEnded(4)))
    #expect(fixture.ended == [first])
    fixture.handle(.web(.sessionEnded(3)))
    #expect(fixture.ended == [first, third] && !fixture.ended.contains(second))
  }

  @Test func `a request that waits ends with its session, with the reason`() {
    let ask = DaemonAuthorizationRequest(.whenInUse, purpose: "a", timeoutSeconds: 3600)
    for (initial, subject) in [
      (Authorization(.authorizedAlways), DaemonRequest.Subject.location(timeoutSeconds: 3600)),
      (Authorization(.notDetermined), .authorization(ask)),
    ] {
      var fixture = ServerCoreFixture(initial: initial)
      let short = fixture.request(DaemonRequest(subject, purpose: "a"), session: Self.session(1000, seconds: 600))
      fixture.advance(seconds: 599)
      #expect(fixture.ended.isEmpty)
      fixture.advance(seconds: 2)
      let text = fixture.text(short)
      #expect(text.hasPrefix("HTTP/1.1 401 ") && text.contains("noSession"), "\(text)")
      #expect(fixture.ended == [short])
      // A timeout before the end of the session stays.
      fixture = ServerCoreFixture(initial: initial)
      let long = fixture.request(DaemonRequest(subject, purpose: "a"), session: Self.session(1000))
      fixture.advance(seconds: 3601)
      #expect(fixture.ended == [long] && !fixture.text(long).contains("noSession"))
    }
  }

  @Test func `a page that reads slowly still gets the newest list of requests, and only that`() {
    var fixture = Self.fixture()
    let page = fixture.request(Self.page(), user: 0, session: Self.session(0))
    fixture.stuck = [page]
    fixture.publishSky()
    for number in 1...2 {
      fixture.handle(.web(.requests(nil, Array(#"[{"id":"\#(number)"}]"#.utf8))))
    }
    for _ in 0..<100 { fixture.publishSky() }
    fixture.stuck = []
    fixture.handle(.written(page))
    let text = fixture.text(page)
    #expect(text.contains(#"[{"id":"2"}]"#) && !text.contains(#"[{"id":"1"}]"#), "\(text)")
  }

  @Test func `the browsers of a user have their own limit of connections, and leave room for programs`() {
    var fixture = Self.fixture()
    for _ in 0..<80 { fixture.request(Self.page(), session: Self.session(1000)) }
    #expect(fixture.core.server.connections.count == 32)
    for user: UInt32 in [1001, 1002] {
      for _ in 0..<30 { fixture.request(Self.page(), user: user, session: Self.session(user)) }
    }
    #expect(fixture.core.server.connections.count == 64)
    let root = fixture.request(Self.page(), user: 0, session: Self.session(0))
    #expect(fixture.classes(root).contains("TPV"))
    let id = fixture.request(DaemonRequest(.status))
    #expect(fixture.text(id).hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `browsers that do not read a file make room for browsers with a session`() {
    var fixture = Self.fixture()
    for number in 0..<64 {
      let id = fixture.nextID()
      let owner = ConnectionOwner(userID: UInt32(2000 + number % 2), isBrowser: true)
      guard fixture.core.connect(id, owner: owner, at: fixture.now) == nil else { continue }
      fixture.stuck.insert(id)
      fixture.handle(.connected(id))
      fixture.handle(.web(.answered(id, [[1, 2, 3], [4, 5, 6]])))
    }
    let pages = (0..<24).map { _ in fixture.request(Self.page(), session: Self.session(1000)) }
    for page in pages { #expect(fixture.classes(page).contains("TPV")) }
    #expect(fixture.ended.isSubset(of: fixture.stuck) && fixture.core.server.connections.count <= 64)
  }

  @Test func `browsers without a session leave 24 of the 64 places to those with one`() {
    var fixture = Self.fixture()
    var silent: Set<UInt64> = []
    for number in 0..<100 {
      let id = fixture.nextID()
      var owner = ConnectionOwner(userID: .max, isBrowser: true)
      owner.address = [192, 0, 2, UInt8(number / 20)]
      guard fixture.core.connect(id, owner: owner, at: fixture.now) == nil else { continue }
      silent.insert(id)
      fixture.handle(.connected(id))
    }
    #expect(silent.count - fixture.ended.count == 40 && fixture.core.server.connections.count <= 64)
    let pages = (0..<24).map { _ in fixture.request(Self.page(), session: Self.session(1000)) }
    for page in pages { #expect(fixture.classes(page).contains("TPV")) }
    #expect(fixture.ended.isDisjoint(with: pages) && fixture.ended.isSubset(of: silent))
  }
}
