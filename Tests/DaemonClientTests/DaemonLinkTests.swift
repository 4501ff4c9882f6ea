// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing

@testable import DaemonClient

@Suite("Link to the daemon") struct DaemonLinkTests {
  private static let absent = DaemonClientError.noDaemon(path: "/s")
  private static let forbidden = DaemonClientError.notPermitted(path: "/s")
  private static let broken = DaemonClientError.disconnected("reset")

  /// A link that has started its first connection.
  private struct Fixture {
    var link: DaemonLink
    /// The numbers of the last connection that was started and of the last delay.
    var (connection, wait): (UInt64, UInt64) = (0, 0)
    var parameters = DaemonLink.Parameters()

    init(_ failure: DaemonClientError? = nil) {
      link = DaemonLink(failure, backoff: .init())
      handle(.began)
    }

    @discardableResult
    mutating func handle(_ event: DaemonLink.Event) -> [DaemonAction] {
      let actions = link.handle(event)
      for action in actions {
        switch action {
        case .connect(let number, let parameters):
          (connection, self.parameters) = (number, parameters)
        case .wait(let number, _): wait = number
        default: break
        }
      }
      return actions
    }

    @discardableResult
    mutating func lose(_ error: DaemonClientError) -> [DaemonAction] {
      handle(.ended(connection, parameters, error))
    }

    /// Receives the program's authorization on the connection.
    mutating func receiveAuthorization() -> [DaemonAction] {
      handle(.received(connection, parameters)) + handle(.receivedAuthorization)
    }

    /// Ends the delay before the next attempt.
    mutating func retry() -> [DaemonAction] { handle(.waited(wait)) }
  }

  private static func waits(_ actions: [DaemonAction]) -> [Duration] {
    actions.compactMap { if case .wait(_, let duration) = $0 { duration } else { nil } }
  }

  private static func connects(_ actions: [DaemonAction]) -> Bool {
    actions.contains { if case .connect = $0 { true } else { false } }
  }

  private static func reports(_ actions: [DaemonAction]) -> Bool {
    actions.contains { if case .report = $0 { true } else { false } }
  }

  @Test(
    arguments: [
      nil, forbidden, broken, .refused(.busy),
      .unreadable(DaemonDecodingError(what: "220")),
    ] as [DaemonClientError?])
  func `a daemon link connects at its start, in mode unreachable if the first request has failed`(
    failure: DaemonClientError?
  ) {
    var link = DaemonLink(failure, backoff: .init())
    #expect(link.mode == (failure == nil ? .enforced : .unreachable))
    #expect(Self.connects(link.handle(.began)) && !link.isConnected)
  }

  @Test func `only ENOENT, ENOTDIR and ECONNREFUSED of connect(2) mean that no daemon is running`() {
    let absent: [Int32] = [ENOENT, ENOTDIR, ECONNREFUSED]
    #expect(absent.allSatisfy { DaemonPresence(connecting: $0) == .absent })
    let unknown: [Int32] = [EMFILE, ENFILE, ENOMEM, EINTR, ENAMETOOLONG, EPROTOTYPE]
    #expect(unknown.allSatisfy { DaemonPresence(connecting: $0) == .unknown })
    #expect(DaemonPresence(connecting: EACCES) == .forbidden)
    #expect(DaemonPresence(connecting: EAGAIN) == .listening)
    let long = DaemonClient(
      address: DaemonAddress(socketPath: "/" + String(repeating: "s", count: 200)),
      now: MonotonicTime.now)
    #expect(long.presence == .unknown && !long.isListening)
    #expect {
      try long.statusNow()
    } throws: { error in
      if case DaemonClientError.disconnected = error { true } else { false }
    }
  }

  @Test func `after a lost connection, the daemon link repeatedly tries to connect, with back-off`() {
    var fixture = Fixture()
    #expect(fixture.receiveAuthorization() == [.disconnect(before: fixture.connection)])
    var delays: [Duration] = []
    for number in 1...7 {
      let actions = fixture.lose(Self.absent)
      // The task of the connection is released, so that attempts for days do not fill the memory.
      #expect(actions.first == .disconnect(before: fixture.connection + 1))
      #expect(actions.contains(.notify([.mode(.unreachable)])) == (number == 1))
      #expect(Self.reports(actions) == (number == 1))
      #expect(actions.contains(.deliver(.lost(Self.absent))) && !actions.contains(.restrict))
      delays += Self.waits(actions)
      #expect(Self.connects(fixture.retry()))
    }
    #expect(delays == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    #expect(fixture.receiveAuthorization().contains(.notify([.mode(.enforced)])))
    #expect(Self.waits(fixture.lose(Self.absent)) == [.seconds(1)])
  }

  @Test func `a change in the socket's directory causes an immediate attempt to connect`() {
    var fixture = Fixture()
    _ = fixture.receiveAuthorization()
    #expect(fixture.handle(.folderChanged) == [])
    fixture.lose(Self.broken)
    #expect(Self.connects(fixture.handle(.folderChanged)))
    #expect(fixture.handle(.folderChanged) == [] && fixture.retry() == [])
  }

  @Test func `a socket that the program may not open restricts the program at the second attempt`() {
    var fixture = Fixture()
    _ = fixture.receiveAuthorization()
    fixture.lose(Self.absent)
    for isRestricting in [false, true, false] {
      _ = fixture.retry()
      #expect(fixture.lose(Self.forbidden).contains(.restrict) == isRestricting)
    }
  }

  @Test func `a daemon that rejects the request for a stream restricts the program at once`() {
    let fault = DaemonClientError.rejected(.malformed("purpose takes at most 512 bytes"))
    var fixture = Fixture(fault)
    #expect(fixture.link.mode == .enforced)
    #expect(fixture.lose(fault).contains(.restrict) && fixture.link.mode == .enforced)
    _ = fixture.retry()
    #expect(!fixture.lose(fault).contains(.restrict))
    for _ in 0..<2 {
      _ = fixture.retry()
      _ = fixture.receiveAuthorization()
      #expect(fixture.lose(fault).contains(.restrict) && fixture.link.mode == .enforced)
    }
  }

  @Test func `changed parameters replace the connection, and a failed replacement is retried`() {
    var fixture = Fixture()
    _ = fixture.receiveAuthorization()
    let (first, sailing) = (fixture.connection, DaemonLink.Parameters(activity: "sailing"))
    #expect(fixture.handle(.parametersChanged(sailing)) == [.connect(first + 1, sailing)])
    #expect(fixture.handle(.parametersChanged(sailing)) == [] && fixture.link.isActive(first) == true)
    #expect(fixture.receiveAuthorization() == [.disconnect(before: first + 1)])
    #expect(fixture.link.isActive(first) == nil)
    // If the replacement fails, the active connection is kept and the replacement is retried.
    fixture.handle(.parametersChanged(DaemonLink.Parameters()))
    let actions = fixture.lose(.refused(.busy))
    #expect(Self.reports(actions) && Self.waits(actions) == [.seconds(1)] && fixture.link.isConnected)
  }
}
