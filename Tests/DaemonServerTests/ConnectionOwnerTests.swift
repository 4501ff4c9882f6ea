// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import LocationServices
import NIOCore
import NIOPosix
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("Owners of browsers' connections", .timeLimit(.minutes(5))) struct ConnectionOwnerTests {
  /// Returns the owner of a connection from an address while the client's socket is open, and after it
  /// was closed.
  private static func owners(from source: String) throws -> (open: ConnectionOwner, closed: ConnectionOwner) {
    let loopback = source.contains(":") ? Loopback.ipv6 : .ipv4
    let listening = try loopback.listen(port: 0)
    defer { close(listening.descriptor) }
    let client = RawClient.withAddress(source, 0) { address in
      let descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return -errno }
      return RawClient.withAddress(loopback.host, listening.port) {
        connect(descriptor, $0.ai_addr, $0.ai_addrlen) == 0 ? descriptor : -errno
      }
    }
    try #require(client >= 0, "\(client)")
    let accepted = accept(listening.descriptor, nil, nil)
    defer { close(accepted) }
    let groups = ControlGroupTree()
    let open = ConnectionOwner(ofBrowser: accepted, groups)
    close(client)
    // A child that another test has just forked may still hold the client's socket. The end arrives when
    // the last copy has been closed.
    var byte: UInt8 = 0
    #expect(recv(accepted, &byte, 1, 0) == 0)
    return (open, ConnectionOwner(ofBrowser: accepted, groups))
  }

  @Test func `closed connections from all loopback addresses have one owner`() throws {
    let owners = try ["127.0.0.1", "127.0.0.5", "127.1.2.3", "::1"].map {
      try Self.owners(from: $0)
    }
    for owner in owners { #expect(owner.open.userID == geteuid() && owner.open.address == []) }
    #expect(Set(owners.map(\.closed)).count == 1)
    #expect(owners.allSatisfy { $0.closed.userID == .max })
  }

  @Test func `while too many connections wait for the event loop, no further ones are accepted`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let listening = try Loopback.ipv4.listen(port: 0)
    let isReleased = Mutex(false)
    let (accepted, taken) = (EventRecorder<Bool>(), EventRecorder<Int32>())
    let acceptor = SocketAcceptor(
      listening.descriptor, loop: group.next(), limits: TestDaemon.patientLimits,
      isExempt: { _ in
        accepted.record(isReleased.withLock { $0 })
        return true
      }, now: { .now() })
    let release = DispatchSemaphore(value: 0)
    defer {
      // After an error, too.
      release.signal()
      acceptor.stop()
    }
    group.next().execute { release.wait() }
    let accepting = acceptor.start { taken.record($0.socket) }
    // The connection beyond the limit waits, too.
    let count = SocketAcceptor.maxWaiting + 1
    let clients = try (0..<(count + 5)).map { _ in
      try RawClient(port: listening.port, isReading: false)
    }
    _ = await accepted.wait(for: count)
    isReleased.withLock { $0 = true }
    release.signal()
    for socket in await taken.wait(for: clients.count) { close(socket) }
    #expect(accepted.events.prefix(count).allSatisfy { !$0 })
    #expect(accepted.events.dropFirst(count) == [true, true, true, true, true])
    acceptor.stop()
    #expect(await accepting.value == 0)
    try await group.shutdownGracefully()
  }
}
