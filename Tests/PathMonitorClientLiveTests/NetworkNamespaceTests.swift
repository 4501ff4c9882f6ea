// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Tests of the network namespaces that other tests use.
@Suite(.enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason))
struct NetworkNamespaceTests {
  private func isHeld(_ target: String) throws -> Bool {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").contains {
      (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == target
    }
  }

  @Test func `a test namespace has no name and is removed with its owner`() throws {
    let files = FileManager.default
    var namespace: NetworkNamespace? = NetworkNamespace()
    let path = try #require(namespace?.path)
    let target = try files.destinationOfSymbolicLink(atPath: path)
    #expect(target.hasPrefix("net:["))
    #expect(target != (try files.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")))
    let names = (try? files.contentsOfDirectory(atPath: "/run/netns")) ?? []
    #expect(!names.contains { $0.hasPrefix("fixcast-\(getpid())-") })
    #expect(try isHeld(target))
    namespace = nil
    #expect(try !isHeld(target))
  }

  @Test func `stopping a test server twice does not close a reused descriptor`() async throws {
    let namespace = NetworkNamespace()
    namespace.ip("link set lo up")
    let server = try FakeHTTPServer(in: namespace)
    server.stop()
    await server.end.wait(for: 1)
    var others: [Int32] = []
    defer { for other in others { close(other) } }
    for _ in 1...16 {
      var ends: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      others += ends
    }
    server.stop()
    for other in others { #expect(send(other, [1], 1, Int32(MSG_NOSIGNAL)) == 1) }
  }

  @Test func `test namespaces have only a loopback interface and are isolated`() {
    let (one, other) = (NetworkNamespace(), NetworkNamespace())
    one.lay("wan0", to: "isp0", in: other)
    #expect(one.ip("link show wan0") == 0 && other.ip("link show isp0") == 0)
    #expect(one.ip("link show isp0") != 0 && other.ip("link show wan0") != 0)
    #expect(one.ip("link show lo") == 0)
  }
}
