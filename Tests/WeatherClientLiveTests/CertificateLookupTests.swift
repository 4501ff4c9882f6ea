// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import TLSSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Lookups at servers whose certificate is not trusted", .timeLimit(.minutes(5)))
struct CertificateLookupTests {
  /// Looks up the weather with only the given certificates as trusted ones.
  private func error(
    _ server: CertificateServer, trusting certificates: String? = nil
  ) async -> WeatherError? {
    await Exchange.lookup(certificates: certificates)
      .ask(OpenMeteo(baseURL: server.baseURL), at: Exchange.coordinate).error
  }

  private func message(_ error: WeatherError?) -> String { error.map { "\($0)" } ?? "no error" }

  @Test(arguments: [false, true])
  func `a certificate for another name is named, and no request is sent`(isTrusted: Bool) async throws {
    try await CertificateServer.use(names: "DNS:login.portal.example,DNS:b.example") { server in
      let text = message(
        await error(server, trusting: isTrusted ? server.certificate : nil))
      #expect(
        text
          == "weather provider not trusted: the certificate is for login.portal.example, b.example, "
          + "issued by Test Portal, valid from 2026-01-01 to 2099-01-01: it is not for 127.0.0.1, "
          + "so another server answers, such as the login page of the network (captive portal); "
          + "log in with a browser on this network")
      #expect(await server.requests(ofConnections: 2) == ["none", "none"])
    }
  }

  @Test(arguments: [("DNS:login.portal.example", true), ("IP:127.0.0.1", false)])
  func `a certificate for another name shows that the path leads to a portal`(names: String, isPortal: Bool)
    async throws
  {
    try await CertificateServer.use(names: names) { server in
      let outcomes = EventRecorder<PathVerifier.Outcome>()
      let client = WeatherClient.openMeteo(
        OpenMeteo(baseURL: server.baseURL), lookup: Exchange.lookup()
      ).observed { { outcomes.record($0) } }
      _ = try? await client.weather(.coordinate(Exchange.coordinate))
      #expect(outcomes.events.map { $0 == .portal(statusCode: nil) } == [isPortal])
      #expect(await server.requests(ofConnections: 2) == ["none", "none"])
    }
  }

  @Test func `an expired certificate is named with its dates`() async throws {
    try await CertificateServer.use(from: "20190101000000Z", to: "20200101000000Z") { server in
      let text = message(await error(server, trusting: server.certificate))
      #expect(text.contains("valid from 2019-01-01 to 2020-01-01: it has expired"), "\(text)")
      #expect(await server.requests(ofConnections: 2) == ["none", "none"])
    }
  }

  @Test func `a certificate that is not valid yet is named with the date of the system clock`() async throws {
    try await CertificateServer.use(from: "20980101000000Z", to: "20990101000000Z") { server in
      let text = message(await error(server, trusting: server.certificate))
      #expect(
        text.contains(
          "valid from 2098-01-01 to 2099-01-01: it is not valid yet by the system clock"),
        "\(text)")
      #expect(text.contains("sudo timedatectl set-ntp true"))
      #expect(await server.requests(ofConnections: 2) == ["none", "none"])
    }
  }

  @Test func `a certificate of an unknown authority is named, and accepted when it is trusted`() async throws {
    try await CertificateServer.use { server in
      let text = message(await error(server))
      #expect(
        text.contains(
          "the certificate is for 127.0.0.1, issued by Test Portal, valid from 2026-01-01 to "
            + "2099-01-01: this board does not trust the issuer"), "\(text)")
      #expect(await server.requests(ofConnections: 2) == ["none", "none"])
      #expect(await error(server, trusting: server.certificate) == nil)
      #expect(await server.requests(ofConnections: 3).last == "request")
    }
  }

  @Test func `a server that does not speak TLS is named as a possible captive portal`() async throws {
    try await ChildProcess.use(
      path: "/usr/bin/env", arguments: ["python3", "-u", "-c", Self.serverWithoutTLS]
    ) { process in
      let port = try #require(await process.lines.wait(for: 1).first.flatMap { UInt16($0) })
      let result = await Exchange.lookup()
        .ask(OpenMeteo(baseURL: "https://127.0.0.1:\(port)"), at: Exchange.coordinate)
      #expect(
        message(result.error)
          == "weather provider not trusted: the TLS handshake failed, so another server may answer, "
          + "such as the login page of the network (captive portal); log in with a browser on this "
          + "network")
    }
  }

  private static let serverWithoutTLS = """
    import socket
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1])
    while True:
      client = listener.accept()[0]
      client.recv(65536)
      client.sendall(b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n<html>Welcome</html>")
      client.close()
    """

  @Test func `an authority that is added to the system's certificates is trusted without a restart`() async throws {
    try await CertificateServer.use { server in
      let folder = try ScratchFolder()
      var http = Exchange.http
      http.store = CertificateStore(bundles: [folder.path + "/bundle.crt"], folder: folder.path)
      let lookup = WeatherLookup(deadline: Exchange.longDeadline, http: http)
      let provider = OpenMeteo(baseURL: server.baseURL)
      let before = http.store.version
      let refused = await lookup.ask(provider, at: Exchange.coordinate)
      guard case .untrusted = refused.error else {
        Issue.record("\(refused)")
        return
      }
      let pem = try String(contentsOfFile: server.certificate, encoding: .utf8)
      try folder.write("bundle.crt", pem)
      #expect(http.store.version != before)
      let accepted = await lookup.ask(provider, at: Exchange.coordinate)
      #expect(try accepted.report().now.temperatureDegreesCelsius == 7.5)
    }
  }
}
