// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import LocationServices
import NIOCore
import NIOPosix
import Positioning
import Testing

@testable import Broker

/// What goes by way of the event loop, with a loop that is held.
@Suite("Broker shell", .timeLimit(.minutes(1)))
final class BrokerShellTests {
  private let folder: ScratchFolder
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let shell: BrokerShell

  init() throws {
    folder = try ScratchFolder()
    shell = BrokerShell(
      core: BrokerCore(ownUser: 990), loop: loop,
      policies: ClientPolicies(places: PolicyPlaces(root: folder.path + "/root")) { _ in },
      now: { MonotonicTime(nanoseconds: 1_000_000_000) }, status: { BrokerStatus() },
      reduced: { _ in }, runs: { _ in true })
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
      shell.submit(.said(.fix(fix)))
      shell.submit(.said(.sky(SkyView())))
      #expect(shell.submittedCount == 0)
    }
    #expect(shell.newestFix == fix)
  }

  @Test("what is said behind something on its way stays behind it")
  func order() async throws {
    let loss = SourceLoss(.disconnected, detail: "unplugged")
    try await holdingLoop {
      shell.submit(.timeOver)
      shell.submit(.said(.fix(Fix(mode: .twoDimensional))))
      shell.submit(.said(.lost(loss, source: "auto")))
      #expect(shell.submittedCount == 3)
      #expect(shell.newestFix == nil)
    }
    try await loop.submit {}.get()
    #expect(shell.submittedCount == 0 && shell.newestFix == nil)
    shell.submit(.said(.fix(Fix(mode: .twoDimensional))))
    #expect(shell.submittedCount == 0 && shell.newestFix?.mode == .twoDimensional)
  }
}
