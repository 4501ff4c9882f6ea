// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport
import Testing

@testable import DaemonServer

/// A browser on a TCP port of a daemon that serves the status page.
struct TestBrowser {
  let daemon: TestDaemon
  private let reserved: ReservedPort
  var port: UInt16 { reserved.number }
  /// The cookie of the session; `nil` before the login.
  var cookie: String?
  /// The key of the session; `nil` before the login.
  var key: String?

  var host: String { "127.0.0.1:\(port)" }

  init(_ daemon: TestDaemon, hosts: [String] = []) throws {
    self.daemon = daemon
    reserved = try ReservedPort()
    let address = try #require(ListenAddress("127.0.0.1:\(reserved.number)"))
    daemon.server.web.apply(WebServer.Settings(addresses: [address], hosts: hosts))
    #expect(daemon.server.web.status.listening == ["\(address)"])
  }

  /// Returns a new daemon and a browser with a session of a user.
  static func loggedIn(user: UInt32 = 0, policy: String = "") async throws -> (TestDaemon, TestBrowser) {
    let daemon = try await TestDaemon(policy: policy)
    var browser = try TestBrowser(daemon)
    try await browser.logIn(user: user)
    return (daemon, browser)
  }

  /// Requests a link as a user, and returns its path and query.
  func link(user: UInt32 = 0) async throws -> String {
    let client = try RawClient(daemon.path, user: user)
    client.send(
      "POST /v1/web/link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    let text = await client.waitForEnd()
    #expect(text.contains(#""class":"LINK""#) && text.contains(#""expires":300"#), "\(text)")
    let start = try #require(text.firstRange(of: "http://\(host)"), "\(text)")
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }

  /// Opens a new link of a user.
  mutating func logIn(user: UInt32 = 0) async throws {
    let text = try await response(try await link(user: user))
    #expect(text.hasPrefix("HTTP/1.1 303 See Other\r\n"), "\(text)")
    let location = try #require(text.firstRange(of: "Location: /#key="), "\(text)")
    key = String(text[location.upperBound...].prefix { !$0.isNewline })
    let start = try #require(text.firstRange(of: "Set-Cookie: "), "\(text)")
    let field = text[start.upperBound...].prefix { !$0.isNewline }
    #expect(
      field.hasPrefix("fixcast_\(port)=")
        && field.hasSuffix("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"), "\(field)")
    cookie = String(field.prefix { $0 != ";" })
  }

  /// Sends a request with the cookie, the key and further fields.
  func send(
    _ target: String, method: String = "GET", fields: [String] = [], body: String = "",
    host: String? = nil, user: UInt32 = 0
  ) throws -> RawClient {
    let client = try RawClient(port: port, user: user)
    var head = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? self.host)"] + fields
    if let cookie { head.append("Cookie: other=1; \(cookie)") }
    if let key { head.append("X-Fixcast-Key: \(key)") }
    if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
    client.send((head + ["", ""]).joined(separator: "\r\n") + body)
    return client
  }

  /// Sends a request, and returns the response.
  func response(
    _ target: String, method: String = "GET", fields: [String] = [], body: String = "",
    host: String? = nil
  ) async throws -> String {
    try await send(target, method: method, fields: fields, body: body, host: host).waitForEnd()
  }

  /// The fields of a request of the page's script that changes something.
  var actionFields: [String] {
    ["Content-Type: application/json", "X-Fixcast: 1", "Origin: http://\(host)"]
  }
}
