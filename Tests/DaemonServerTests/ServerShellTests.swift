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

/// What goes by way of the event loop, with a loop that is held.
@Suite("Broker shell", .timeLimit(.minutes(5)))
final class ServerShellTests {
  private let folder: ScratchFolder
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let shell: ServerShell
  private let policies: ClientPolicies
  /// How often the clock has been read.
  private let reads = DispatchSemaphore(value: 0)

  init() throws {
    folder = try ScratchFolder()
    policies = ClientPolicies(places: PolicyPaths(root: folder.path + "/root")) { _ in }
    shell = ServerShell(
      core: ServerCore(ownUser: 990), loop: loop, policies: policies,
      now: { [reads] in
        reads.signal()
        return MonotonicTime(nanoseconds: 1_000_000_000)
      }, status: { ServerStatus() }, reduced: { _ in }, runs: { _ in true })
  }

  /// Does something while the loop can do nothing.
  private func holdingLoop(_ body: () -> Void) async throws {
    let release = DispatchSemaphore(value: 0)
    let held = loop.submit { release.wait() }
    body()
    release.signal()
    try await held.get()
  }

  @Test("what is said while nobody is connected wakes no loop, and is there for who comes later")
  func unattended() async throws {
    var fix = Fix(mode: .threeDimensional)
    fix.coordinate = .at(51.5, 0)
    try await holdingLoop {
      shell.submit(.published(.fix(fix)))
      shell.submit(.published(.sky(SkyView())))
      #expect(shell.submittedCount == 0)
    }
    #expect(shell.newestFix == fix)
  }

  @Test("what is said behind something on its way stays behind it")
  func order() async throws {
    let loss = SourceLoss(.disconnected, detail: "unplugged")
    try await holdingLoop {
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

  @Test("what is said while the loop takes over what is on its way does not overtake it")
  func handover() async throws {
    for round in 0..<5000 {
      shell.submit(.deadlineReached)
      shell.submit(.published(.fix(Fix(mode: .twoDimensional))))
      shell.submit(.published(.fix(Fix(mode: .threeDimensional))))
      try await loop.submit {}.get()
      try #require(shell.newestFix?.mode == .threeDimensional, "round \(round)")
    }
  }

  @Test("what a policy says after it was closed is not heard, though its client has come again")
  func closedPolicy() async throws {
    let key = ServerClient.Key(
      identity: ClientIdentity(userID: 1000),
      process: ProcessToken(process: 7, startTicks: 1, boot: "b"))
    let channel = try await ServerBootstrap(group: loop)
      .bind(unixDomainSocketPath: folder.path + "/s").get()
    func connect() async throws -> (ServerCore.ConnectionID, PolicyFiles) {
      let id = try await loop.submit { [shell] in
        let peer = ServerShell.Peer(channel: channel, process: PeerProcess(), token: nil)
        let id = try shell.connect(
          peer, owner: ConnectionOwner(userID: key.identity.userID)
        ).get()
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
    // It was on its way to say so.
    try await holdingLoop {
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

  /// Says something while the cell of reduced accuracy is at the disk; gives whether that returned.
  private func saidMeanwhile(_ prepare: () -> Void) -> Bool {
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

  @Test("whoever says something while nobody is connected waits for no disk")
  func slowDiskUnattended() {
    #expect(saidMeanwhile {})
    #expect(shell.newestFix?.mode == .threeDimensional)
  }

  @Test("whoever says something does not wait for the disk that the loop waits for")
  func slowDiskOnLoop() async throws {
    let returned = saidMeanwhile {
      shell.submit(.deadlineReached)
      // It is about to ask for the cell.
      reads.wait()
    }
    #expect(returned)
    try await loop.submit {}.get()
    #expect(shell.newestFix?.mode == .threeDimensional)
  }
}
