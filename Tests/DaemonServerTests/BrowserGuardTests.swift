// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import NIOHTTP1
import Testing

@testable import DaemonServer

@Suite("Requests that a browser sends on behalf of a page") struct BrowserGuardTests {
  private func status(_ method: HTTPMethod = .GET, _ fields: (String, String)...) -> Int {
    let head = HTTPRequestHead(
      version: .http1_1, method: method, uri: "/v1/location", headers: HTTPHeaders(fields))
    do throws(DaemonFault) {
      try BrowserGuard.check(head)
      return 200
    } catch { return error.status }
  }

  @Test(arguments: [
    "fixcast", "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:80",
  ])
  func `requests for the host fixcast, or for a tunnel's host with any port, are accepted`(_ host: String) {
    #expect(status(.GET, ("Host", host)) == 200)
  }

  @Test(arguments: [
    "evil.example.com", "evil.example.com:8088", "localhost.evil.example.com", "127.0.0.1.nip.io",
    "127.0.0.2", "fixcast.evil", "fixcast:8080", "", "[::1].evil",
    "localhost:80@evil.example.com",
  ])
  func `a request for another host is refused as misdirected`(_ host: String) {
    #expect(status(.GET, ("Host", host)) == 421)
  }

  @Test func `a request without a Host field is accepted, and a request with two Host fields is refused`() {
    #expect(status() == 200)
    #expect(status(.GET, ("Host", "localhost"), ("Host", "evil.example.com")) == 400)
  }

  @Test func `requests from another origin are refused, and same-origin requests are accepted`() {
    let host = ("Host", "localhost:8080")
    #expect(status(.GET, host, ("Origin", "http://localhost:8080")) == 200)
    let foreign = [
      "http://localhost:3000", "http://evil.example.com", "null", "http://localhost:8080.evil.com",
      "localhost:8080", "",
    ]
    for origin in foreign { #expect(status(.GET, host, ("Origin", origin)) == 403, "\(origin)") }
    #expect(status(.GET, ("Origin", "http://localhost")) == 403)
    for site in ["same-origin", "none"] {
      #expect(status(.GET, host, ("Sec-Fetch-Site", site)) == 200)
    }
    for site in ["cross-site", "same-site", "CROSS-SITE"] {
      #expect(status(.GET, host, ("Sec-Fetch-Site", site)) == 403, "\(site)")
    }
  }

  @Test func `a POST request is accepted only if its content type is JSON`() {
    let host = ("Host", "fixcast")
    for type in ["application/json", "Application/JSON; charset=utf-8"] {
      #expect(status(.POST, host, ("Content-Type", type)) == 200)
    }
    for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
      #expect(status(.POST, host, ("Content-Type", type)) == 415, "\(type)")
    }
    #expect(status(.POST, host) == 415)
  }

  @Test func `further names are accepted with any port, and only as a whole`() {
    func status(_ host: String) -> Int {
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders([("Host", host)]))
      do throws(DaemonFault) {
        try BrowserGuard.check(head, names: ["board.local", "[fe80::1]"])
        return 200
      } catch { return error.status }
    }
    for host in ["board.local", "BOARD.local:8443", "[fe80::1]:8443"] {
      #expect(status(host) == 200)
    }
    for host in ["xboard.local", "board.local.evil.com", "board.local:a", "[fe80::2]"] {
      #expect(status(host) == 421)
    }
  }
}
