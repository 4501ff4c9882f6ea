// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import LocationServices
import NIOCore
import NIOPosix
import Positioning
import Testing

@testable import DaemonServer

/// Tests that the publishing thread writes to feeds itself.
@Suite("Server shell with feeds", .timeLimit(.minutes(5)))
final class ServerShellFeedTests {
  private static let client = ServerClient.Key(
    identity: ClientIdentity(userID: 1000),
    process: ProcessToken(process: 7, startTicks: 1, boot: "b"))

  private let folder: ScratchFolder
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let shell: ServerShell
  /// The exit of the client's process, if the kernel provides no process descriptor.
  private let exits = EventRecorder<Void>()

  init() throws {
    folder = try ScratchFolder()
    let policies = PolicyStore(enforcing: PolicyPaths(root: folder.path + "/root")) { _ in }
    shell = ServerShell(
      core: ServerCore(ownUser: 990), loop: loop, policyStore: policies, now: { .now() },
      status: { ServerStatus() }, reduced: { _ in },
      runs: { [exits] _ in exits.events.isEmpty })
  }

  /// Connects a client of NMEA 0183 with full accuracy, and returns its end of the connection.
  ///
  /// The client does not read by itself. On a TCP socket, its process is unknown.
  private func connect(isUnix: Bool = false) async throws -> FeedEnd {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let end = FeedEnd(descriptor: ends[1])
    _ = try await ClientBootstrap(group: loop)
      .channelOption(.socketOption(.so_sndbuf), value: 4096)
      .channelInitializer { [shell, socket = ends[0]] channel in
        channel.eventLoop.makeCompletedFuture {
          let peer = ServerPeer(
            channel: channel, process: PeerProcess(),
            token: isUnix ? Self.client.process : nil, direct: DirectSocket(socket))
          let owner = ConnectionOwner(userID: Self.client.identity.userID)
          let id = try shell.connect(peer, owner: owner, feed: .nmea).get()
          try channel.pipeline.syncOperations.addHandler(
            FeedChannelHandler(id: id, client: Self.client, utcNow: { nil }) { shell.handle($0) })
        }
      }
      .withConnectedSocket(ends[0]).get()
    try await decide(.authorizedAlways)
    #expect(shell.granted(Self.client)?.status == .authorizedAlways)
    return end
  }

  /// Applies a decision on the client.
  private func decide(
    _ status: AuthorizationStatus, on client: ServerClient.Key = ServerShellFeedTests.client
  ) async throws {
    while shell.policy(client) == nil { await Task.yield() }
    let policy = try #require(shell.policy(client))
    let update = AuthorizationUpdate.decided(Authorization(status))
    shell.submit(.policy(client, update), of: policy, for: client)
    try await loop.submit {}.get()
  }

  /// Returns a line of 1 KB with a number.
  private static func line(_ number: Int) -> [UInt8] {
    Array("$TEST,\(number)\(String(repeating: ",x", count: 500))\r\n".utf8)
  }

  private func publish(_ number: Int) {
    shell.submit(.published(.sentences(Self.line(number), source: "/dev/ttyACM0")))
  }

  /// Runs `body` while the event loop is blocked.
  private func withBlockedLoop<Value>(_ body: () throws -> Value) async throws -> Value {
    let release = DispatchSemaphore(value: 0)
    let blocking = loop.submit { release.wait() }
    let result = Result { try body() }
    release.signal()
    try await blocking.get()
    return try result.get()
  }

  /// Publishes lines until the socket accepts no more, and returns the number of all lines.
  ///
  /// Must be called while the event loop is blocked: later lines are then left to the event loop.
  private func fill(after published: Int = 0) -> Int {
    var count = published
    while shell.submittedCount == 0 {
      publish(count)
      count += 1
    }
    return count
  }

  @Test
  func `lines are written while the event loop is blocked, and in order after the buffer was full`() async throws {
    let client = try await connect()
    _ = client.read()
    let count = try await withBlockedLoop {
      publish(0)
      #expect(client.read() == Self.line(0))
      let count = fill(after: 1)
      #expect(count > 3)
      for number in count..<count + 5 { publish(number) }
      return count + 5
    }
    let expected = (1..<count).flatMap { Self.line($0) }
    var received: [UInt8] = []
    while received.count < expected.count {
      received += client.read()
      await Task.yield()
    }
    #expect(received == expected)
    // The publishing thread writes again when nothing is pending.
    while shell.isHandlingEvents { await Task.yield() }
    publish(count)
    #expect(shell.submittedCount == 0 && client.read() == Self.line(count))
  }

  @Test func `a client that does not read delays neither the publishing thread nor another client`() async throws {
    let (slow, other) = (try await connect(), try await connect())
    _ = other.read()
    var number = 0
    while shell.feedCounts(.nmea).drops == 0 {
      publish(number)
      try await loop.submit {}.get()
      #expect(other.read() == Self.line(number))
      number += 1
    }
    withExtendedLifetime(slow) {}
  }

  @Test func `a client whose access is withdrawn while its buffer is full is disconnected`() async throws {
    let client = try await connect()
    _ = client.read()
    let count = try await withBlockedLoop { fill() }
    try await decide(.denied)
    for number in 0..<5 { publish(count + number) }
    var received: [UInt8] = []
    while !client.hasEnded {
      received += client.read()
      await Task.yield()
    }
    #expect((0..<count).flatMap { Self.line($0) }.starts(with: received))
    #expect(!received.isEmpty && received.count < count * Self.line(0).count)
    #expect(RawClient.count("$TEST,\(count),", in: received) == 0)
  }

  @Test func `a client whose access is withdrawn gets no more lines`() async throws {
    let client = try await connect()
    _ = client.read()
    publish(1)
    #expect(client.read() == Self.line(1))
    try await decide(.denied)
    publish(2)
    try await loop.submit {}.get()
    #expect(RawClient.count("$TEST", in: client.read()) == 0)
    #expect(!client.hasEnded)
  }

  @Test func `a client whose process has exited gets no more lines, and is disconnected`() async throws {
    let client = try await connect(isUnix: true)
    _ = client.read()
    publish(1)
    #expect(client.read() == Self.line(1))
    exits.record(())
    publish(2)
    var received: [UInt8] = []
    while !client.hasEnded {
      received += client.read()
      await Task.yield()
    }
    #expect(received.isEmpty)
  }

  @Test func `lines are written to a client of the Unix socket while the event loop is blocked`() async throws {
    let evidence = ProcessEvidence()
    let connections = FeedConnections(
      shell: shell, limits: ServerLimits(), evidence: evidence, now: { .now() },
      utcNow: { nil })
    let server = connections.server(.nmea, groups: ControlGroupTree()) { _ in }
    let path = folder.path + "/nmea.sock"
    server.apply(FeedServer.Settings(socketPath: path))
    let client = FeedEnd(descriptor: RawClient.connect(path))
    let key = try #require(evidence.peer(process: getpid(), user: geteuid(), descriptor: nil))
    try await decide(.authorizedAlways, on: key)
    _ = client.read()
    try await withBlockedLoop {
      publish(0)
      #expect(client.read() == Self.line(0))
    }
    await server.stop()
  }
}

/// The client's end of a connection.
private final class FeedEnd {
  private let descriptor: Int32
  /// Whether the server has closed the connection.
  private(set) var hasEnded = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns the bytes that have arrived.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count == 0 || count < 0 && errno == ECONNRESET { hasEnded = true }
    return Array(buffer.prefix(max(count, 0)))
  }
}
