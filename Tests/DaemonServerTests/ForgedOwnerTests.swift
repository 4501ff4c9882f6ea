// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import SystemSupport
import Testing

@testable import DaemonServer

/// Attacks of a user without access, whose socket has the same port as a service of root.
@Suite("Forged owners of TCP sockets", .timeLimit(.minutes(5)), .needsRoot)
struct ForgedOwnerTests {
  private static let nobody: UInt32 = 65_534

  @Test(
    arguments: [
      (Loopback.ipv4, "127.0.0.1"), (.ipv4, "127.0.0.5"), (.ipv4, "::ffff:127.0.0.1"),
      (.ipv6, "::1"),
    ] as [(service: Loopback, source: String)], [true, false])
  func `a client that is bound to an interface and to the port of a service is not taken for the service`(
    attack: (service: Loopback, source: String), isBoundToInterface: Bool
  ) async throws {
    let daemon = try await TestDaemon()
    let port = try ReservedPort(on: attack.service)
    let address = "\(attack.service == .ipv4 ? "127.0.0.1" : "[::1]"):\(port.number)"
    daemon.server.gpsd.apply(FeedServer.Settings(addresses: [try #require(ListenAddress(address))]))
    // A port that the kernel chooses for the attacker's address can be in use at the service's.
    let servicePort = try ReservedPort(on: attack.service)
    let source = try BoundSocket(
      attack.source, port: servicePort.number, user: Self.nobody, isBoundToInterface: isBoundToInterface)
    // The service of root begins to listen after the attacker has bound its socket.
    let service = try attack.service.listen(port: servicePort.number)
    servicePort.release()
    defer { close(service.descriptor) }
    let client = try source.connect(to: port.number, of: attack.service)
    client.send(#"?WATCH={"enable":true,"json":true}"#)
    await client.wait(for: #""class":"WATCH""#)
    // Until the policy is open, the client gets neither a position nor an error.
    while client.count(TestDaemon.latitude) == 0, client.count(#""class":"ERROR""#) == 0,
      client.isConnected
    {
      await client.exchange { daemon.publishFix() }
    }
    await client.exchange { for _ in 0..<3 { daemon.publishFix() } }
    #expect(!client.text.contains("54.09"), "\(client.text)")
    #expect(client.text.contains("uid=65534") || client.text.contains("user=nobody"))
    #expect(await daemon.end() == nil)
  }
}

/// A TCP socket that a user has bound to a port, and that is not connected yet.
private struct BoundSocket {
  private let descriptor: Int32

  init(_ host: String, port: UInt16, user: UInt32, isBoundToInterface: Bool) throws {
    let result = RawClient.perform(as: user) {
      RawClient.withAddress(host, port) { address in
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, kind, 0)
        guard descriptor >= 0 else { return -errno }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if isBoundToInterface,
          setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) != 0
        {
          return -errno
        }
        return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? descriptor : -errno
      }
    }
    guard result >= 0 else { throw RawClient.Failure(errorNumber: -result) }
    descriptor = result
  }

  /// Connects to a port, and returns the client, which closes the socket.
  func connect(to port: UInt16, of loopback: Loopback) throws -> RawClient {
    let isMapped = try #require(SocketOwner.address(of: descriptor, getsockname)).isIPv6
    let host = loopback == .ipv4 && isMapped ? "::ffff:127.0.0.1" : loopback.host
    let code = RawClient.withAddress(host, port) { address in
      Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? descriptor : -errno
    }
    return try RawClient(descriptor: code)
  }
}
