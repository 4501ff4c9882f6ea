// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Dispatch
import FixcastTesting
import LocationServices
import NIOCore
import NIOPosix
import Positioning
import Testing

@testable import DaemonServer

/// Tests the order of events while the event loop is blocked.
@Suite("Server shell", .timeLimit(.minutes(5)))
final class ServerShellTests {
  private let folder: ScratchFolder
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let shell: ServerShell
  private let policies: PolicyStore
  /// Signalled each time the clock is read.
  private let reads = DispatchSemaphore(value: 0)

  init() throws {
    folder = try ScratchFolder()
    policies = PolicyStore(enforcing: PolicyPaths(root: folder.path + "/root")) { _ in }
    shell = ServerShell(
      core: ServerCore(ownUser: 990), loop: loop, policyStore: policies,
      now: { [reads] in
        reads.signal()
        return MonotonicTime.at(1)
      }, status: { ServerStatus() }, reduced: { _ in }, runs: { _ in true })
  }

  /// Runs `body` while the event loop is blocked.
  private func withBlockedLoop(_ body: () -> Void) async throws {
    let release = DispatchSemaphore(value: 0)
    let blocking = loop.submit { release.wait() }
    body()
    release.signal()
    try await blocking.get()
  }

  @Test func `an event published without clients is stored without waking the event loop`() async throws {
    let fix = Fix.at(51.5)
    try await withBlockedLoop {
      shell.submit(.published(.fix(fix)))
      shell.submit(.published(.sky(SkyView())))
      #expect(shell.submittedCount == 0)
    }
    #expect(shell.newestFix == fix)
  }

  @Test func `published events are handled after pending events`() async throws {
    let loss = SourceLoss(.disconnected, detail: "unplugged")
    try await withBlockedLoop {
      shell.submit(.deadlineReached)
      shell.submit(.published(.fix(Fix(mode: .twoDimensional))))
      shell.submit(.published(.lost(loss, source: "auto")))
      #expect(shell.submittedCount == 3)
      #expect(shell.newestFix == nil)
    }
    try await loop.submit {}.get()
    #expect(shell.submittedCount == 0 && shell.newestFix == nil)
    shell.submit(.published(.fix(Fix(mode: .twoDimensional))))
    #expect(shell.submittedCount == 0 && shell.newestFix?.mode == .twoDimensional)
  }

  @Test func `an event published while the event loop handles pending events is handled after those`() async throws {
    for round in 0..<5000 {
      shell.submit(.deadlineReached)
      shell.submit(.published(.fix(Fix(mode: .twoDimensional))))
      shell.submit(.published(.fix(Fix(mode: .threeDimensional))))
      try await loop.submit {}.get()
      try #require(shell.newestFix?.mode == .threeDimensional, "round \(round)")
    }
  }

  @Test func `an update of a closed policy is ignored, even after its client has reconnected`() async throws {
    let key = ServerClient.Key(
      identity: ClientIdentity(userID: 1000),
      process: ProcessToken(process: 7, startTicks: 1, boot: "b"))
    let channel = try await ServerBootstrap(group: loop)
      .bind(unixDomainSocketPath: folder.path + "/s").get()
    func connect() async throws -> (ServerCore.ConnectionID, PolicyFiles) {
      let id = try await loop.submit { [shell] in
        let peer = ServerPeer(channel: channel, process: PeerProcess(), token: nil)
        let id = try shell.connect(peer, owner: ConnectionOwner(userID: key.identity.userID)).get()
        shell.handle(
          .requested(
            id, DaemonRequest(.location(timeoutSeconds: 3600)),
            PeerEvidence(identity: key.identity, process: key.process)))
        return id
      }.get()
      await shell.flushPolicies()
      try await loop.submit {}.get()
      return (id, try #require(shell.policy(key)))
    }
    let (id, first) = try await connect()
    try await loop.submit { [shell] in shell.handle(.closed(id)) }.get()
    #expect(shell.policy(key) == nil)
    let (_, second) = try await connect()
    #expect(first !== second && shell.granted(key)?.status == .notDetermined)
    // Submit an update of the closed policy while the event loop is blocked.
    try await withBlockedLoop {
      shell.submit(.policy(key, .decided(Authorization(.authorizedAlways))), of: first, for: key)
      #expect(shell.submittedCount == 1)
    }
    try await loop.submit {}.get()
    #expect(shell.granted(key)?.status == .notDetermined && shell.submittedCount == 0)
    shell.submit(.policy(key, .decided(Authorization(.authorizedAlways))), of: second, for: key)
    try await loop.submit {}.get()
    #expect(shell.granted(key)?.status == .authorizedAlways)
    try await channel.close().get()
  }

  /// Publishes an event while the cell of reduced accuracy is being read from disk, and returns
  /// whether publishing has returned.
  private func publishesDuringDiskAccess(_ prepare: () -> Void) -> Bool {
    let returned = DispatchSemaphore(value: 0)
    return policies.reducedCell.lend(isChoosing: false) { [shell] _ in
      prepare()
      DispatchQueue(label: "source").async {
        shell.submit(.published(.fix(Fix(mode: .threeDimensional))))
        returned.signal()
      }
      return returned.wait(timeout: .now() + 10) == .success
    }
  }

  @Test func `publishing an event without clients does not wait for the disk`() {
    #expect(publishesDuringDiskAccess {})
    #expect(shell.newestFix?.mode == .threeDimensional)
  }

  @Test func `publishing an event does not block while the event loop waits for the disk`() async throws {
    let returned = publishesDuringDiskAccess {
      shell.submit(.deadlineReached)
      // Wait until the event loop is about to read the cell.
      reads.wait()
    }
    #expect(returned)
    try await loop.submit {}.get()
    #expect(shell.newestFix?.mode == .threeDimensional)
  }
}
