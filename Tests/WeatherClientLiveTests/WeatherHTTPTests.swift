// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("HTTP client for weather with a loopback server", .timeLimit(.minutes(5)))
struct WeatherHTTPTests {
  private func lookup(
    _ environment: [String: String] = [:], certificates: String? = nil,
    deadline: Duration = Exchange.longDeadline
  ) -> WeatherLookup {
    var http = Exchange.http
    http.proxies = ProxyEnvironment { environment[$0] }
    http.certificates = certificates
    return WeatherLookup(deadline: deadline, http: http)
  }

  @Test func `an HTTP request is sent to the proxy with an absolute URL`() async throws {
    let proxy = LoopbackServer { _, _ in .answer(OpenMeteoTests.good) }
    defer { proxy.stop() }
    let result = await lookup(["http_proxy": "http://me:p%40ss@127.0.0.1:\(proxy.port)/"]).ask(
      OpenMeteo(baseURL: "http://weather.invalid:8080/base"), at: Exchange.coordinate)
    #expect(try result.report().now.temperatureDegreesCelsius == 11.4)
    let request = try #require(proxy.requests.first)
    #expect(
      request.hasPrefix("GET http://weather.invalid:8080/base/v1/forecast?latitude=51.51&"))
    #expect(request.contains("Host: weather.invalid:8080\r\n"))
    // The base64 encoding of me:p@ss.
    #expect(request.contains("Proxy-Authorization: Basic bWU6cEBzcw==\r\n"))
  }

  @Test func `an HTTPS request uses CONNECT, so that the proxy does not get the URL`() async throws {
    let proxy = LoopbackServer { _, _ in .answer(status: "502 Bad Gateway", "") }
    defer { proxy.stop() }
    let result = await lookup(["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"]).ask(
      OpenMeteo(baseURL: "https://weather.invalid"), at: Exchange.coordinate)
    guard case .network = result.error else { Issue.record("\(result)"); return }
    let request = try #require(proxy.requests.first)
    #expect(request.hasPrefix("CONNECT weather.invalid:443 "))
    #expect(!request.contains("51.51"))
  }

  @Test(
    arguments: [
      (["http_proxy": "p:1"], "http", "a.example", "forwarded p:1"),
      (["HTTP_PROXY": "http://p"], "http", "a.example", "forwarded p:3128"),
      (["http_proxy": "p:1", "HTTP_PROXY": "q:2"], "http", "a.example", "forwarded p:1"),
      (["http_proxy": "", "HTTP_PROXY": "q:2"], "http", "a.example", "direct"),
      (["http_proxy": "p:1"], "https", "a.example", "direct"),
      (["https_proxy": "p:1"], "https", "a.example", "tunnelled p:1"),
      (["ALL_PROXY": "p:1"], "https", "a.example", "tunnelled p:1"),
      (["http_proxy": "p:1", "no_proxy": "x, .example"], "http", "a.example", "direct"),
      (["http_proxy": "p:1", "NO_PROXY": "a.example:80"], "http", "a.example", "direct"),
      (["http_proxy": "p:1", "NO_PROXY": "a.example:81"], "http", "a.example", "forwarded p:1"),
      (["http_proxy": "p:1", "no_proxy": "ple"], "http", "a.example", "forwarded p:1"),
      (["http_proxy": "p:1", "no_proxy": "*"], "http", "a.example", "direct"),
      (["http_proxy": "p:1", "no_proxy": "10.0.0.7"], "http", "10.0.0.7", "direct"),
      (["http_proxy": "p:1"], "http", "127.0.0.1", "direct"),
      (["http_proxy": "p:1"], "http", "localhost", "direct"),
      (["http_proxy": "p:1"], "http", "localhost.", "direct"),
      (["http_proxy": "p:1"], "http", "127.example.org", "forwarded p:1"),
      (["http_proxy": "socks5://p:1"], "http", "a.example", "error"),
      (["http_proxy": "http://:1"], "http", "a.example", "error"),
    ] as [([String: String], String, String, String)])
  func `the route to a server follows the proxy variables of the environment`(
    variables: [String: String], scheme: String, host: String, expected: String
  ) {
    let environment = ProxyEnvironment { variables[$0] }
    let route: String
    do throws(WeatherError) {
      switch try environment.route(
        scheme: scheme, host: host, port: scheme == "https" ? 443 : 80)
      {
      case .direct: route = "direct"
      case .forwarded(let proxy): route = "forwarded \(proxy.host):\(proxy.port)"
      case .tunnelled(let proxy): route = "tunnelled \(proxy.host):\(proxy.port)"
      }
    } catch {
      route = "error"
    }
    #expect(route == expected)
  }

  @Test(
    arguments: [
      ([:], "http://203.0.113.9:81/x", .server(host: "203.0.113.9")),
      (["http_proxy": "10.0.0.1:8"], "http://203.0.113.9", .proxy(host: "10.0.0.1")),
      (["http_proxy": "10.0.0.1:8"], "https://a.example", .server(host: "a.example")),
      (["all_proxy": "p.example:8"], "https://a.example/x", .proxy(host: "p.example")),
      (
        ["all_proxy": "p.example:8", "no_proxy": "a.example"], "https://a.example",
        .server(host: "a.example")
      ),
      (["http_proxy": "10.0.0.1:8"], "http://127.0.0.1:9", .server(host: "127.0.0.1")),
      (["http_proxy": "ftp://p"], "http://a.example", nil),
      ([:], "", .server(host: "")),
    ] as [([String: String], String, ConnectionTarget?)])
  func `the connection target is the proxy if one is configured, otherwise the server`(
    variables: [String: String], url: String, expected: ConnectionTarget?
  ) {
    let environment = ProxyEnvironment { variables[$0] }
    #expect((try? ConnectionTarget(toURL: url, by: environment)) == expected)
  }

  @Test(arguments: [0, 65_536, 181_112_950])
  func `a URL with an invalid port has no origin`(port: Int) throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    #expect(WeatherHTTP.origin(url) == nil)
  }

  @Test func `the error for an unusable proxy URL does not contain the password`() async throws {
    let result = await lookup(["http_proxy": "ftp://me:hunter2@proxy"]).ask(
      OpenMeteo(baseURL: "http://weather.invalid"), at: Exchange.coordinate)
    #expect(result.error == .misconfigured("http_proxy is not a usable proxy URL"))
    #expect(result.requestCount == 1)
  }

  @Test func `the User-Agent header contains the contact without control characters`() {
    #expect(WeatherHTTP.userAgent(contact: nil) == "fixcast/\(ProgramVersion.text)")
    #expect(
      WeatherHTTP.userAgent(contact: "a@b\r\nX: y)") == "fixcast/\(ProgramVersion.text) (a@bX: y)")
  }

  @Test
  func `a compressed reply of 64 MB is cancelled at the size limit, and invalid gzip is malformed`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "zeros.gz").path
    let shell = try ChildProcess(
      path: "/bin/sh", arguments: ["-c", "head -c 67108864 /dev/zero | gzip -9 > '\(file)'"])
    #expect(await shell.wait() == 0)
    let zeros = Array(try Data(contentsOf: URL(filePath: file)))
    #expect(zeros.count < 100_000)
    for (bytes, error) in [
      (zeros, WeatherError.tooLarge(limitBytes: WeatherHTTP.maximumBytes)),
      (
        [31, 139, 8, 0, 9, 9, 9, 9],
        .malformed(
          field: "reply", reason: "ends early or is damaged, since it cannot be decompressed")
      ),
    ] {
      let server = LoopbackServer { _ in
        .answer(headers: ["Content-Encoding: gzip"], bytes: bytes)
      }
      defer { server.stop() }
      let result = await lookup().ask(OpenMeteo(baseURL: server.baseURL), at: Exchange.coordinate)
      #expect(result.error == error)
      #expect(server.requests.first?.lowercased().contains("accept-encoding: ") == true)
    }
  }

  @Test(arguments: ProviderCase.all)
  func `a TLS certificate must be trusted and match the host name`(subject: ProviderCase) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, isRight) in [("IP:127.0.0.1", true), ("DNS:elsewhere.example", false)] {
      let file = folder.appending(path: isRight ? "right.pem" : "wrong.pem").path
      let openssl = try ChildProcess(
        path: "/usr/bin/env",
        arguments: [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
          "-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)",
          "-keyout", file + ".key", "-out", file,
        ])
      #expect(await openssl.wait() == 0)
      try await ChildProcess.use(
        path: "/usr/bin/env", arguments: ["python3", "-u", "-c", Self.server, file]
      ) { process in
        let port = try #require(await process.lines.wait(for: 1).first.flatMap { UInt16($0) })
        let provider = try subject.provider("https://127.0.0.1:\(port)")
        let withoutCertificate = await lookup().ask(provider, at: Exchange.coordinate)
        guard case .untrusted = withoutCertificate.error else {
          Issue.record("\(withoutCertificate)")
          return
        }
        let withCertificate = await lookup(certificates: file).ask(
          provider, at: Exchange.coordinate)
        if isRight {
          // The server always sends a reply of Open-Meteo.
          let isOpenMeteo = subject.type == OpenMeteo.self
          switch withCertificate.outcome {
          case .report(let report):
            #expect(isOpenMeteo)
            #expect(report.now.temperatureDegreesCelsius == 7.5)
          case .failure(.malformed): #expect(!isOpenMeteo)
          default: Issue.record("\(withCertificate)")
          }
        } else {
          #expect(
            withCertificate.error.map { "\($0)" }?.contains("it is not for 127.0.0.1") == true)
        }
      }
    }
  }

  /// An HTTPS server in Python that sends the same reply to every request.
  private static let server = """
    import http.server, ssl, sys
    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        body = b'{"current":{"temperature_2m":7.5}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
      def log_message(self, *words): pass
    class Server(http.server.ThreadingHTTPServer):
      def handle_error(self, request, address): pass
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[1] + ".key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port)
    server.serve_forever()
    """

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
