// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("The weather's HTTP client over a real server", .timeLimit(.minutes(5)))
struct WeatherHTTPTests {
  private func lookup(
    _ environment: [String: String] = [:], certificates: String? = nil,
    deadline: Duration = Exchange.patience
  ) -> WeatherLookup {
    var http = WeatherHTTP()
    http.proxies = ProxyEnvironment { environment[$0] }
    http.certificates = certificates
    return WeatherLookup(deadline: deadline, http: http)
  }

  @Test("asks a proxy in whole for what is sent in the open")
  func forwarded() async throws {
    let proxy = LoopbackServer { _, _ in .answer(OpenMeteoTests.good) }
    defer { proxy.stop() }
    let result = await lookup(["http_proxy": "http://me:p%40ss@127.0.0.1:\(proxy.port)/"]).ask(
      OpenMeteo(baseURL: "http://weather.invalid:8080/base"), at: Exchange.place)
    #expect(try result.report().now.temperatureDegreesCelsius == 11.4)
    let request = try #require(proxy.requests.first)
    #expect(
      request.hasPrefix("GET http://weather.invalid:8080/base/v1/forecast?latitude=51.51&"))
    #expect(request.contains("Host: weather.invalid:8080\r\n"))
    // me:p@ss
    #expect(request.contains("Proxy-Authorization: Basic bWU6cEBzcw==\r\n"))
  }

  @Test("asks a proxy for a connection for what is encrypted, and shows it nothing more")
  func tunnelled() async throws {
    let proxy = LoopbackServer { _, _ in .answer(status: "502 Bad Gateway", "") }
    defer { proxy.stop() }
    let result = await lookup(["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"]).ask(
      OpenMeteo(baseURL: "https://weather.invalid"), at: Exchange.place)
    guard case .network = result.error else { Issue.record("\(result)"); return }
    let request = try #require(proxy.requests.first)
    #expect(request.hasPrefix("CONNECT weather.invalid:443 "))
    #expect(!request.contains("51.51"))
  }

  @Test(
    "knows by which proxy a server is reached",
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
      (["http_proxy": "socks5://p:1"], "http", "a.example", "error"),
      (["http_proxy": "http://:1"], "http", "a.example", "error"),
    ] as [([String: String], String, String, String)])
  func routes(variables: [String: String], scheme: String, host: String, way: String) {
    let environment = ProxyEnvironment { variables[$0] }
    let taken: String
    do throws(WeatherError) {
      switch try environment.route(
        scheme: scheme, host: host, port: scheme == "https" ? 443 : 80)
      {
      case .direct: taken = "direct"
      case .forwarded(let proxy): taken = "forwarded \(proxy.host):\(proxy.port)"
      case .tunnelled(let proxy): taken = "tunnelled \(proxy.host):\(proxy.port)"
      }
    } catch {
      taken = "error"
    }
    #expect(taken == way)
  }

  @Test(
    "the first to connect to is the proxy, where there is one for a server, else the server",
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
  func firstHop(variables: [String: String], url: String, hop: ConnectionTarget?) {
    let environment = ProxyEnvironment { variables[$0] }
    #expect((try? ConnectionTarget(toURL: url, by: environment)) == hop)
  }

  @Test("a URL with a port that no address has is no origin", arguments: [0, 65_536, 181_112_950])
  func impossiblePort(port: Int) throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    #expect(WeatherHTTP.origin(url) == nil)
  }

  @Test("a proxy that is none is told of without its password")
  func wrongProxy() async throws {
    let result = await lookup(["http_proxy": "ftp://me:hunter2@proxy"]).ask(
      OpenMeteo(baseURL: "http://weather.invalid"), at: Exchange.place)
    #expect(result.error == .misconfigured("http_proxy is not a usable proxy URL"))
    #expect(result.requestCount == 1)
  }

  @Test("a contact is told to the provider, and cannot be more than one line")
  func agent() {
    #expect(WeatherHTTP.userAgent(contact: nil) == "fixcast/\(ProgramVersion.text)")
    #expect(
      WeatherHTTP.userAgent(contact: "a@b\r\nX: y)") == "fixcast/\(ProgramVersion.text) (a@bX: y)")
  }

  @Test("64 MB that are packed into little are given up at the limit; half a packet is malformed")
  func packed() async throws {
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
      ([31, 139, 8, 0, 9, 9, 9, 9], .malformed(field: "body", reason: "cannot be decompressed")),
    ] {
      let server = LoopbackServer { _ in
        .answer(headers: ["Content-Encoding: gzip"], bytes: bytes)
      }
      defer { server.stop() }
      let result = await lookup().ask(OpenMeteo(baseURL: server.baseURL), at: Exchange.place)
      #expect(result.error == error)
      #expect(server.requests.first?.lowercased().contains("accept-encoding: ") == true)
    }
  }

  @Test(
    "TLS: a certificate has to be trusted, and to be for the name that was asked",
    arguments: ProviderCase.all)
  func certificates(subject: ProviderCase) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, isRight) in [("IP:127.0.0.1", true), ("DNS:elsewhere.example", false)] {
      let file = folder.appending(path: isRight ? "right.pem" : "wrong.pem").path
      let made = try ChildProcess(
        path: "/usr/bin/env",
        arguments: [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
          "-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)",
          "-keyout", file + ".key", "-out", file,
        ])
      #expect(await made.wait() == 0)
      try await ChildProcess.use(
        path: "/usr/bin/env", arguments: ["python3", "-u", "-c", Self.server, file]
      ) { process in
        let port = try #require(await process.lines.wait(for: 1).first.flatMap { UInt16($0) })
        let provider = try subject.provider("https://127.0.0.1:\(port)")
        let strange = await lookup().ask(provider, at: Exchange.place)
        guard case .untrusted = strange.error else { Issue.record("\(strange)"); return }
        let known = await lookup(certificates: file).ask(provider, at: Exchange.place)
        if isRight {
          // Answered, to whoever can read Open-Meteo's answers.
          let isOpenMeteo = subject.type == OpenMeteo.self
          switch known.outcome {
          case .report(let report):
            #expect(isOpenMeteo)
            #expect(report.now.temperatureDegreesCelsius == 7.5)
          case .failure(.malformed): #expect(!isOpenMeteo)
          default: Issue.record("\(known)")
          }
        } else {
          #expect(known.error == .untrusted("the certificate does not match the host name"))
        }
      }
    }
  }

  /// Speaks TLS with a certificate, and answers everything alike.
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
