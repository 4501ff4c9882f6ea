// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("The status page over TLS", .timeLimit(.minutes(2)))
struct WebTLSTests {
  /// Creates a certificate for an address and a name.
  private func certificate(in folder: borrowing ScratchFolder) async throws -> (file: String, key: String) {
    let (file, key) = (folder.path + "/web.crt", folder.path + "/web.key")
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/openssl",
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", key, "-out", file, "-days", "2", "-subj", "/CN=board.local", "-addext",
        "subjectAltName=DNS:board.local,IP:127.0.0.1",
      ])
    try #require(code == 0, "\(lines)")
    return (file, key)
  }

  /// Starts a daemon that serves the page over TLS on a port.
  private func serve(limits: ServerLimits = ServerLimits()) async throws -> (TestDaemon, ReservedPort) {
    let (daemon, port) = (try await TestDaemon(limits: limits), try ReservedPort())
    let certificate = try await certificate(in: daemon.folder)
    let address = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    daemon.server.web.apply(WebServer.Settings(addresses: [address], hosts: ["board.local"], certificate: certificate))
    try #require(daemon.server.web.status.failures.isEmpty)
    return (daemon, port)
  }

  private func link(_ daemon: TestDaemon) async throws -> String {
    let client = try RawClient(daemon.path)
    client.send(
      "POST /v1/web/link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    let text = await client.waitForEnd()
    let start = try #require(text.firstRange(of: #""url":""#), "\(text)")
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }

  /// The key of the session that a login has opened.
  private static func key(_ login: String) throws -> String {
    let start = try #require(login.firstRange(of: "Location: /#key="), "\(login)")
    return String(login[start.upperBound...].prefix(64))
  }

  private func curl(_ daemon: TestDaemon, _ arguments: [String]) async throws -> String {
    try await ChildProcess.run(
      path: "/usr/bin/curl",
      arguments: [
        "--silent", "--show-error", "--include", "--max-time", "30", "--cacert",
        daemon.folder.path + "/web.crt", "--cookie-jar", daemon.folder.path + "/jar", "--cookie",
        daemon.folder.path + "/jar",
      ] + arguments
    ).lines.joined(separator: "\n")
  }

  @Test func `a link opens a session with a secure cookie, and HTTP without TLS gets no answer`() async throws {
    let (daemon, port) = try await serve()
    daemon.publishFix()
    let link = try await link(daemon)
    #expect(link.hasPrefix("https://127.0.0.1:\(port.number)/login?t="))
    let login = try await curl(daemon, [link])
    #expect(login.contains("303 See Other") && login.contains("; Secure"), "\(login)")
    let host = "https://127.0.0.1:\(port.number)"
    let key = ["--header", "X-Fixcast-Key: \(try Self.key(login))"]
    let location = try await curl(daemon, key + [host + "/v1/location"])
    #expect(location.contains(TestDaemon.latitude), "\(location)")
    let action =
      key + [
        "--data", #"{"request":"1","decision":"allow"}"#, "--header",
        "Content-Type: application/json", "--header", "X-Fixcast: 1",
      ]
    for (origin, status) in [(host, 404), ("http://127.0.0.1:\(port.number)", 403)] {
      let text = try await curl(
        daemon, action + ["--header", "Origin: \(origin)", host + "/v1/authorization/decision"])
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(origin): \(text)")
    }
    let plain = try RawClient(port: port.number)
    plain.get("/")
    #expect(await plain.waitForEnd().isEmpty)
    #expect(await daemon.end() == nil)
    port.release()
  }

  @Test(.needsRoot)
  func `a revoked user's stream over TLS gets no further position`() async throws {
    let (daemon, port) = try await serve()
    daemon.publishFix()
    let key = try Self.key(try await curl(daemon, [try await link(daemon)]))
    let arguments = [
      "--silent", "--no-buffer", "--cacert", daemon.folder.path + "/web.crt", "--cookie",
      daemon.folder.path + "/jar",
      "https://127.0.0.1:\(port.number)/v1/events?purpose=a&page=1&key=\(key)",
    ]
    try await ChildProcess.use(path: "/usr/bin/curl", arguments: arguments) { client in
      await client.lines.wait { $0.contains { $0.contains(TestDaemon.latitude) } }
      try daemon.decide(ClientSelector(userID: 0), .denied)
      await client.lines.wait { $0.contains { $0.contains(#""status":"denied""#) } }
      daemon.publishFix(latitude: 55.5)
      #expect(!client.lines.events.contains { $0.contains("55.5") })
    }
    #expect(await daemon.end() == nil)
    port.release()
  }

  @Test func `connections beyond the limit that send nothing are closed, though TLS cannot answer them`() async throws {
    var limits = ServerLimits()
    (limits.connections, limits.lingerSeconds) = (1, 0.01)
    let (daemon, port) = try await serve(limits: limits)
    let admitted = try RawClient(port: port.number)
    let silent = try (0..<20).map { _ in try RawClient(port: port.number) }
    for client in silent { #expect(await client.waitForEnd().isEmpty) }
    #expect(await daemon.end() == nil)
    withExtendedLifetime(admitted) {}
    port.release()
  }

  @Test func `a connection beyond the limit gets the reason over TLS`() async throws {
    var limits = ServerLimits()
    (limits.connections, limits.lingerSeconds) = (1, 3000)
    let (daemon, port) = try await serve(limits: limits)
    let admitted = try RawClient(port: port.number)
    let text = try await curl(daemon, ["https://127.0.0.1:\(port.number)/"])
    #expect(text.hasPrefix("HTTP/1.1 503 "), "\(text)")
    #expect(await daemon.end() == nil)
    withExtendedLifetime(admitted) {}
    port.release()
  }

  @Test func `an address beyond loopback is not served without a certificate, nor is a broken one used`() async throws {
    let daemon = try await TestDaemon()
    let port = try ReservedPort()
    let open = try #require(ListenAddress("0.0.0.0:\(port.number)"))
    daemon.server.web.apply(WebServer.Settings(addresses: [open], hosts: ["board.local"]))
    var status = daemon.server.web.status
    #expect(status.listening.isEmpty)
    #expect(status.failures.first?.contains("set tls_certificate_file") == true)
    let loopback = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    for (file, reason) in [("missing.crt", "No such file"), ("broken.crt", "not a PEM")] {
      try daemon.folder.write("broken.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n")
      let path = daemon.folder.path + "/" + file
      daemon.server.web.apply(WebServer.Settings(addresses: [loopback], certificate: (path, path)))
      status = daemon.server.web.status
      #expect(status.listening.isEmpty)
      #expect(status.failures.first?.contains(reason) == true, "\(status.failures)")
    }
    daemon.server.web.apply(WebServer.Settings(addresses: [loopback]))
    #expect(daemon.server.web.status.failures.isEmpty)
    #expect(await daemon.end() == nil)
    port.release()
  }
}
