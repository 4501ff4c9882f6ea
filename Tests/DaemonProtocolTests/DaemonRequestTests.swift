// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Testing

@Suite("Requests to the daemon") struct DaemonRequestTests {
  static let requests: [DaemonRequest] = [
    DaemonRequest(.status), DaemonRequest(.events, purpose: "a & b = ü %"),
    DaemonRequest(.location(timeoutSeconds: 7), purpose: "x", activity: "rescue"),
    DaemonRequest(.location(timeoutSeconds: 7, maxAgeSeconds: 86_400)),
    DaemonRequest(
      .authorization(DaemonAuthorizationRequest(.always, purpose: "log", timeoutSeconds: 9))),
    DaemonRequest(.authorization(DaemonAuthorizationRequest(.temporaryFull, purpose: "k"))),
    withoutLocations, DaemonRequest(.webLink), DaemonRequest(.webSessions),
    DaemonRequest(.webEnd(session: nil)), DaemonRequest(.webEnd(session: 3)),
  ]

  private static var withoutLocations: DaemonRequest {
    var request = DaemonRequest(.events, purpose: "x")
    request.includesLocations = false
    return request
  }

  @Test(arguments: requests)
  func `an encoded request is decoded unchanged`(request: DaemonRequest) throws {
    #expect(
      try DaemonRequest(method: request.method, target: request.target, body: request.body)
        == request)
    #expect(request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
  }

  @Test func `unknown parameters and fields of a request are ignored`() throws {
    #expect(
      try DaemonRequest(method: "GET", target: "/v1/events?application=x&purpose=a+b").purpose
        == "a b")
    let body = Array(#"{"request":"always","purpose":"x","later":[1]}"#.utf8)
    #expect(try DaemonAuthorizationRequest(json: body).kind == .always)
  }

  @Test(arguments: [
    ("GET", "/other", "", 404), ("GET", "/v2/status", "", 404), ("POST", "/v1/status", "", 405),
    ("PUT", "/v1/authorization", "", 405), ("GET", "/v1/location?timeout=0", "", 400),
    ("GET", "/v1/location?timeout=9999", "", 400), ("GET", "/v1/location?timeout=x", "", 400),
    ("GET", "/v1/location?maxAge=0", "", 400), ("GET", "/v1/location?maxAge=1e3", "", 400),
    ("GET", "/v1/location?maxAge=1000000001", "", 400),
    ("GET", "/v1/events?purpose=%zz", "", 400), ("GET", "/v1/events?purpose=%f", "", 400),
    ("GET", "/v1/events?locations=none", "", 400),
    ("GET", "/v1/events?purpose=%ff", "", 400), ("POST", "/v1/authorization", "", 400),
    ("POST", "/v1/authorization", #"{"request":"all","purpose":"x"}"#, 400),
    ("POST", "/v1/authorization", #"{"request":"always","purpose":"  "}"#, 400),
    ("POST", "/v1/authorization", #"{"request":"always","purpose":"x","timeout":-1}"#, 400),
  ])
  func `an invalid request is refused with the HTTP status for its error`(
    method: String, target: String, body: String, status: Int
  ) {
    let fault = #expect(throws: DaemonFault.self) {
      try DaemonRequest(method: method, target: target, body: Array(body.utf8))
    }
    #expect(fault?.status == status)
    #expect(fault.flatMap { DaemonFault(status: status, json: $0.json) } == fault)
  }

  @Test func `a request with a text that exceeds the maximum length is refused`() {
    let text = String(repeating: "a", count: DaemonRequest.maxTextBytes + 1)
    #expect(throws: DaemonFault.self) {
      try DaemonRequest(method: "GET", target: "/v1/events?activity=\(text)")
    }
  }

  @Test(arguments: [
    "\u{1B}[2J", "\u{1B}]0;a\u{7}", "a\nb", "a\u{9B}1m", "\u{202E}abc", "a\u{2066}b",
    "a\u{2028}b",
    "a\u{7F}", "\u{200F}a", "\u{E0041}a",
  ])
  func `a request that contains control characters or direction marks is refused`(text: String) {
    for name in ["purpose", "activity"] {
      let value = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let fault = #expect(throws: DaemonFault.self) {
        try DaemonRequest(method: "GET", target: "/v1/events?\(name)=\(value)")
      }
      #expect(fault?.status == 400 && fault?.message.contains(name) == true)
    }
    #expect(throws: DaemonFault.self) {
      try DaemonAuthorizationRequest(
        json: DaemonAuthorizationRequest(.always, purpose: text).json)
    }
  }

  @Test func `FIXCAST_SOCKET overrides the default path of the daemon's socket`() {
    #expect(DaemonAddress(environment: [:]).socketPath == "/run/fixcast/fixcast.sock")
    #expect(DaemonAddress(environment: ["FIXCAST_SOCKET": ""]).socketPath.hasPrefix("/run/"))
    #expect(DaemonAddress(environment: ["FIXCAST_SOCKET": "/a/b"]).socketPath == "/a/b")
  }
}
