// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("The status page on real sockets", .timeLimit(.minutes(2)))
struct WebSocketTests {
  private static let decisionBody = #"{"request":"1","decision":"allow"}"#

  @Test func `a link opens a session once, and the session reads the API`() async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon)
    let refused = try await browser.response("/")
    #expect(refused.hasPrefix("HTTP/1.1 401 ") && refused.contains("sudo fixcast web"))
    for target in ["/v1/status", "/v1/location", "/v1/events", "/metrics", "/other"] {
      let text = try await browser.response(target)
      #expect(text.hasPrefix("HTTP/1.1 401 ") && text.contains("noSession"), "\(text)")
    }
    for target in ["/fixcast.css", "/fixcast.js", "/coastline.bin", "/v1/openapi.json"] {
      #expect(try await browser.response(target).hasPrefix("HTTP/1.1 200 "))
    }
    let link = try await browser.link()
    #expect(try await browser.response(link).hasPrefix("HTTP/1.1 303 "))
    let replayed = try await browser.response(link)
    #expect(replayed.hasPrefix("HTTP/1.1 403 ") && !replayed.contains("Set-Cookie"), "\(replayed)")
    #expect(try await browser.response("/login").hasPrefix("HTTP/1.1 403 "))
    #expect(try await browser.response("/login?t=").hasPrefix("HTTP/1.1 403 "))
    try await browser.logIn()
    daemon.publishFix()
    for (target, content) in [
      ("/", "3D fix"), ("/v1/location", TestDaemon.latitude),
      ("/v1/location/last", TestDaemon.latitude), ("/v1/sky", "SKY"), ("/v1/track", "TRACK"),
      ("/v1/places", "PLACES"), ("/v1/status", #""client":"uid=0""#),
      ("/v1/authorization", #""role":"decide","requests":[]"#), ("/metrics", "fixcast_clients"),
    ] {
      let text = try await browser.response(target)
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains(content), "\(target): \(text)")
    }
    browser.cookie = browser.cookie.map { $0.dropLast() + "x" }
    #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
    browser.cookie = "fixcast_1=" + (browser.cookie ?? "")
    #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
    #expect(await daemon.end() == nil)
  }

  @Test
  func `the cookie alone, which other ports of the host receive, opens only the page without data`() async throws {
    let (daemon, browser) = try await TestBrowser.loggedIn()
    daemon.publishFix()
    let key = try #require(browser.key)
    var thief = browser
    for wrong in [nil, "", String(key.reversed())] as [String?] {
      thief.key = wrong
      for target in [
        "/v1/status", "/v1/location", "/v1/location/last", "/v1/events?purpose=a&page=1",
        "/v1/events?purpose=a&page=1&key=", "/v1/authorization", "/metrics", "/v1/sky", "/v1/track",
      ] {
        let text = try await thief.response(target)
        #expect(text.hasPrefix("HTTP/1.1 401 ") && text.contains("noSession"), "\(text)")
      }
      for target in ["/v1/authorization/decision", "/v1/web/end"] {
        let text = try await thief.response(target, method: "POST", fields: thief.actionFields, body: Self.decisionBody)
        #expect(text.hasPrefix("HTTP/1.1 401 "), "\(target): \(text)")
      }
      let page = try await thief.response("/")
      #expect(page.hasPrefix("HTTP/1.1 200 ") && !page.contains("54.09"))
    }
    // A browser sends no fields for an event stream, so the key is in its address.
    thief.key = nil
    let stream = try thief.send("/v1/events?purpose=a&page=1&key=\(key)")
    await stream.wait(for: "event: TPV")
    #expect(stream.text.contains(TestDaemon.latitude))
    thief = browser
    thief.cookie = nil
    #expect(try await thief.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
    #expect(await daemon.end() == nil)
  }

  @Test func `a session ends by the page's button, and streams of the session with it`() async throws {
    let (daemon, browser) = try await TestBrowser.loggedIn()
    var other = browser
    try await other.logIn()
    let page = try browser.send("/v1/events?purpose=status%20page&page=1")
    await page.wait(for: "event: AUTH")
    for fields in [[], ["Content-Type: application/json", "X-Fixcast: 1"]] {
      let text = try await browser.response("/v1/web/end", method: "POST", fields: fields, body: "{}")
      #expect(text.hasPrefix("HTTP/1.1 4"), "\(text)")
    }
    let text = try await browser.response("/v1/web/end", method: "POST", fields: browser.actionFields, body: "{}")
    #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains(#""sessions":1"#), "\(text)")
    _ = await page.waitForEnd()
    #expect(try await browser.response("/").hasPrefix("HTTP/1.1 401 "))
    #expect(try await other.response("/v1/status").hasPrefix("HTTP/1.1 200 "))
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `a user ends the own sessions on the socket, and root in a login all sessions`() async throws {
    let (daemon, root) = try await TestBrowser.loggedIn()
    var (first, second) = (root, root)
    try await first.logIn(user: 1000)
    try await second.logIn(user: 1001)
    for (user, count) in [(1000, 1), (1000, 0), (0, 2)] as [(UInt32, Int)] {
      let client = try RawClient(daemon.path, user: user)
      client.send(
        "POST /v1/web/end HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: 2\r\n\r\n{}")
      let text = await client.waitForEnd()
      #expect(text.contains(#"{"class":"ENDED","sessions":\#(count)}"#), "\(text)")
      let isOpen = try await root.response("/v1/status").hasPrefix("HTTP/1.1 200 ")
      #expect(isOpen == (user != 0))
      #expect(try await first.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
    }
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot, arguments: [true, false])
  func `the many connections of one user keep no other user's browser off the page`(hasSession: Bool) async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon)
    if hasSession { try await browser.logIn() }
    let status = hasSession ? "200" : "401"
    var idle: [RawClient] = []
    for _ in 0..<70 {
      let client = try RawClient(port: browser.port, user: 1003)
      client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
      idle.append(client)
    }
    for user: UInt32 in [0, 1000, 1001] {
      for _ in 0..<4 {
        let text = try await browser.send("/v1/authorization", user: user).waitForEnd()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
      }
    }
    // The rate of new connections is limited for the flooding user only.
    for _ in 0..<150 { _ = try? RawClient(port: browser.port, user: 1003, isReading: false) }
    let text = try await browser.send("/v1/authorization", user: 1000).waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
    #expect(await daemon.end() == nil)
    withExtendedLifetime(idle) {}
  }

  @Test func `each response has the security headers, and none allows another origin`() async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon)
    var responses = [try await browser.response("/"), try await browser.response("/fixcast.js")]
    try await browser.logIn()
    for target in ["/", "/v1/status", "/other", "/login?t=1"] {
      responses.append(try await browser.response(target, fields: ["Origin: http://\(browser.host)"]))
    }
    responses.append(try await browser.response("/", host: "evil.example.com"))
    let stream = try browser.send("/v1/events?purpose=a&page=1")
    await stream.wait(for: "event: AUTH")
    responses.append(stream.text)
    let unix = try RawClient(daemon.path)
    unix.get("/v1/status")
    responses.append(await unix.waitForEnd())
    for text in responses {
      for field in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
          + "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
          + "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-",
      ] {
        #expect(text.contains("\r\n\(field)"), "\(field): \(text)")
      }
      #expect(!text.contains("Access-Control"))
    }
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `the log has at most 10 new sessions of a user at once`() async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon)
    for _ in 0..<15 { try await browser.logIn(user: 1000) }
    try await browser.logIn()
    let lines = daemon.reports.events.filter { $0.contains("opened with a link of") }
    #expect(lines.count { $0.contains("uid=1000") } == 10)
    #expect(lines.last?.contains("web session 16 opened with a link of uid=0") == true, "\(lines)")
    #expect(await daemon.end() == nil)
  }

  @Test func `a request for another host is misdirected, also with a session`() async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon, hosts: ["Board.local"])
    try await browser.logIn()
    for (host, status) in [
      ("evil.example.com", 421), ("evil.example.com:\(browser.port)", 421), ("10.1.2.3:80", 421),
      ("board.local.evil.example.com", 421), ("BOARD.local:\(browser.port)", 200),
      ("localhost:\(browser.port)", 200), ("127.0.0.1:\(browser.port)", 200),
    ] {
      let text = try await browser.response("/v1/status", host: host)
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(host): \(text)")
    }
    #expect(await daemon.end() == nil)
  }

  @Test func `an expired session is refused, and an expired link too`() async throws {
    let clock = ManualOffset()
    let daemon = try await TestDaemon(now: { clock.now() })
    var browser = try TestBrowser(daemon)
    try await browser.logIn()
    let link = try await browser.link()
    clock.advance(seconds: 300)
    #expect(try await browser.response(link).hasPrefix("HTTP/1.1 403 "))
    #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 200 "))
    clock.advance(seconds: 43_200)
    #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
    #expect(await daemon.end() == nil)
  }

  @Test func `a POST of another origin, or without the field X-Fixcast, is refused`() async throws {
    let (daemon, browser) = try await TestBrowser.loggedIn()
    let json = "Content-Type: application/json"
    let own = "Origin: http://\(browser.host)"
    for (fields, status) in [
      ([json, "X-Fixcast: 1", own], 404), ([json, own], 403), ([json, "X-Fixcast: 1"], 403),
      ([json, "X-Fixcast: 1", "Origin: http://evil.example.com"], 403),
      ([json, "X-Fixcast: 1", "Origin: null"], 403),
      ([json, "X-Fixcast: 1", "Origin: https://\(browser.host)"], 403),
      ([json, "X-Fixcast: 1", own, "Sec-Fetch-Site: cross-site"], 403),
      (["X-Fixcast: 1", own, "Content-Type: text/plain"], 415),
    ] {
      let text = try await browser.response(
        "/v1/authorization/decision", method: "POST", fields: fields, body: Self.decisionBody)
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(fields): \(text)")
    }
    // Only the daemon's socket gives links.
    let link = try await browser.response("/v1/web/link", method: "POST", fields: browser.actionFields, body: "{}")
    #expect(link.hasPrefix("HTTP/1.1 404 "), "\(link)")
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `root answers a request on the page, and the log names the session`() async throws {
    let (daemon, browser) = try await TestBrowser.loggedIn()
    daemon.publishFix()
    let page = try browser.send("/v1/events?purpose=status%20page&page=1")
    await page.wait(for: #""requests":[]"#)
    let client = try RawClient(daemon.path, user: 1000)
    client.get("/v1/location?timeout=60&purpose=%3Cimg%20src%3Dx%3E%22%7D%5D")
    await page.wait(for: "event: REQUESTS", count: 2)
    let escaped = #""purpose":"<img src=x>\"}]""#
    #expect(page.text.contains(escaped), "\(page.text)")
    let pending = try await browser.response("/v1/authorization")
    #expect(pending.contains(escaped) && pending.contains("fixcast auth allow uid=1000 --for 2h"))
    let start = try #require(page.text.ranges(of: #"{"id":""#).last)
    let id = page.text[start.upperBound...].prefix { $0 != "\"" }
    let body = #"{"request":"\#(id)","decision":"allowReduced","hours":2}"#
    var other = browser
    try await other.logIn(user: 1001)
    let refused = try await other.response(
      "/v1/authorization/decision", method: "POST", fields: other.actionFields, body: body)
    #expect(refused.hasPrefix("HTTP/1.1 403 ") && refused.contains("mayNotDecide"), "\(refused)")
    #expect(!(try await other.response("/v1/authorization")).contains("requests"))
    let answer = try await browser.response(
      "/v1/authorization/decision", method: "POST", fields: browser.actionFields, body: body)
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""requests":[]"#), "\(answer)")
    let location = await client.waitForEnd()
    #expect(location.contains(#""class":"TPV""#) && !location.contains(TestDaemon.latitude))
    await page.wait(for: #""requests":[]"#, count: 2)
    let decision = try #require(try daemon.places.store.read().decisions.first)
    #expect(decision.selector == ClientSelector(userID: 1000) && decision.isReduced)
    #expect(decision.reason == "web session 1, link created by root" && decision.grantedBy == 0)
    #expect(decision.validity(at: decision.created) == .holds(seconds: 7200))
    let log = try daemon.folder.read("root/var/lib/fixcast/audit.jsonl")
    #expect(log.contains("web session 1, link created by root"))
    #expect(log.contains(#""client":"uid=1000""#))
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `a session with reduced accuracy gets no satellites, no track and no altitude`() async throws {
    let (daemon, browser) = try await TestBrowser.loggedIn(user: 1000, policy: "allow uid=1000 accuracy=reduced\n")
    daemon.publishFix()
    let page = try browser.send("/v1/events?purpose=status%20page&page=1")
    await page.wait(for: "event: TPV")
    for target in ["/v1/sky", "/v1/track"] {
      let text = try await browser.response(target)
      #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("full accuracy"), "\(text)")
    }
    let last = try await browser.response("/v1/location/last")
    #expect(last.contains("TPV") && !last.contains(TestDaemon.latitude) && !last.contains("alt"))
    #expect(!page.text.contains("SKY") && !page.text.contains(TestDaemon.latitude))
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `a revoked user's session gets no further position, and its requests are refused`() async throws {
    let daemon = try await TestDaemon()
    try daemon.decide(ClientSelector(userID: 1000), .always)
    var browser = try TestBrowser(daemon)
    try await browser.logIn(user: 1000)
    daemon.publishFix()
    let page = try browser.send("/v1/events?purpose=status%20page&page=1")
    await page.wait(for: "event: TPV")
    try daemon.decide(ClientSelector(userID: 1000), .denied)
    await page.wait(for: #""status":"denied""#)
    daemon.publishFix(latitude: 55.5)
    #expect(try await browser.response("/v1/location").hasPrefix("HTTP/1.1 403 "))
    #expect(try await browser.response("/v1/track").hasPrefix("HTTP/1.1 403 "))
    #expect(!page.text.contains("55.5"))
    #expect(await daemon.end() == nil)
  }

  @Test func `when no address is served any more, streams and sessions end and links are void`() async throws {
    let daemon = try await TestDaemon()
    var browser = try TestBrowser(daemon)
    let address = try #require(ListenAddress(browser.host))
    let missing = daemon.folder.path + "/missing.crt"
    for settings in [
      WebServer.Settings(),
      WebServer.Settings(addresses: [address], certificate: (missing, missing)),
    ] {
      try await browser.logIn()
      let link = try await browser.link()
      daemon.publishFix()
      let page = try browser.send("/v1/events?purpose=status%20page&page=1")
      await page.wait(for: "event: TPV")
      daemon.server.web.apply(settings)
      #expect(await page.waitForEnd().contains("event: TPV"))
      daemon.server.web.apply(WebServer.Settings(addresses: [address]))
      #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 401 "))
      #expect(try await browser.response(link).hasPrefix("HTTP/1.1 403 "))
    }
    // While an address is served, a reload keeps the sessions.
    try await browser.logIn()
    daemon.server.web.apply(WebServer.Settings(addresses: [address], hosts: ["board.local"]))
    #expect(try await browser.response("/v1/status").hasPrefix("HTTP/1.1 200 "))
    #expect(await daemon.end() == nil)
  }

  @Test func `a link leads to an address that is served; without one, the error names the failure`() async throws {
    let daemon = try await TestDaemon()
    let (taken, port) = (try ReservedPort(), try ReservedPort())
    let occupied = try #require(ListenAddress("127.0.0.1:\(taken.number)"))
    let other = try TCPListener.listen(on: occupied)
    defer { close(other) }
    func link() async throws -> String {
      let client = try RawClient(daemon.path)
      client.send(
        "POST /v1/web/link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: 2\r\n\r\n{}")
      return await client.waitForEnd()
    }
    daemon.server.web.apply(WebServer.Settings(addresses: [occupied]))
    let refused = try await link()
    #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("webFailed"), "\(refused)")
    #expect(refused.contains("\(occupied)") && refused.contains("already in use"), "\(refused)")
    let free = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    daemon.server.web.apply(WebServer.Settings(addresses: [occupied, free]))
    let text = try await link()
    #expect(text.contains("http://\(free)/login?t="), "\(text)")
    let missing = daemon.folder.path + "/missing.crt"
    daemon.server.web.apply(WebServer.Settings(addresses: [free], certificate: (missing, missing)))
    let broken = try await link()
    #expect(broken.contains("webFailed") && broken.contains("No such file"), "\(broken)")
    #expect(await daemon.end() == nil)
    for reserved in [taken, port] { reserved.release() }
  }

  @Test func `the daemon's socket serves the page without a login, and refuses foreign hosts`() async throws {
    let daemon = try await TestDaemon()
    daemon.publishFix()
    for (head, status) in [
      ("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080", 200),
      ("GET /login HTTP/1.1\r\nHost: localhost", 303),
      ("GET /fixcast.js HTTP/1.1\r\nHost: localhost", 200),
      ("GET / HTTP/1.1\r\nHost: evil.example.com", 421),
    ] {
      let client = try RawClient(daemon.path)
      client.send(head + "\r\n\r\n")
      let text = await client.waitForEnd()
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(head): \(text)")
    }
    // A page that another site's script sends is refused, and a program needs no origin.
    for (fields, status) in [
      ("X-Fixcast: 1", 404), ("Origin: http://localhost", 403),
      ("X-Fixcast: 1\r\nOrigin: http://evil.example.com", 403),
    ] {
      let client = try RawClient(daemon.path)
      client.send(
        "POST /v1/authorization/decision HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
          + "Content-Type: application/json\r\n"
          + "Content-Length: \(Self.decisionBody.utf8.count)\r\n\r\n" + Self.decisionBody)
      let text = await client.waitForEnd()
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(fields): \(text)")
    }
    // The page is on no TCP port, so there is no link.
    let client = try RawClient(daemon.path)
    client.send(
      "POST /v1/web/link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    #expect(await client.waitForEnd().contains("webOff"))
    #expect(await daemon.end() == nil)
  }
}

/// A clock that a test can advance.
private final class ManualOffset: Sendable {
  private let seconds = Atomic<Int>(0)

  func now() -> MonotonicTime {
    MonotonicTime.now().advanced(bySeconds: Double(seconds.load(ordering: .sequentiallyConsistent)))
  }

  func advance(seconds: Int) { self.seconds.add(seconds, ordering: .sequentiallyConsistent) }
}
