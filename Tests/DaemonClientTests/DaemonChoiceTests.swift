// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing

@testable import DaemonClient

@Suite("By whom a program is served") struct DaemonChoiceTests {
  private typealias Action = DaemonChoice.Action

  private static let absent = DaemonClientError.noDaemon(path: "/s")
  private static let forbidden = DaemonClientError.notPermitted(path: "/s")
  private static let broken = DaemonClientError.disconnected("reset")

  private func choice(_ failure: DaemonClientError?, canServe: Bool = true) -> DaemonChoice {
    DaemonChoice(failure, canServe: canServe, backoff: .init())
  }

  private func waits(_ actions: [Action]) -> [Duration] {
    actions.compactMap { if case .wait(_, _, let duration) = $0 { duration } else { nil } }
  }

  @Test(
    "begins by the daemon where one answers, cannot be asked or is not understood",
    arguments: [
      nil, forbidden, broken, .refused(.busy),
      .unreadable(DaemonUnreadable(what: "220")),
    ] as [DaemonClientError?])
  func daemon(failure: DaemonClientError?) {
    var choice = choice(failure)
    #expect(choice.mode == (failure == nil ? .enforced : .unreachable))
    #expect(choice.handle(.began) == [.connect])
    // However often that fails, this process serves nobody.
    for _ in 0..<5 {
      let actions = choice.handle(.lost(failure ?? Self.broken))
      #expect(!actions.contains(.serve) && !actions.contains(.decide))
    }
  }

  @Test(
    "one that did not answer or might not be asked at first is waited for when it goes",
    arguments: [forbidden, broken, .refused(.busy)])
  func gone(failure: DaemonClientError) {
    var choice = choice(failure)
    _ = choice.handle(.began)
    #expect(!choice.handle(.lost(Self.absent)).contains(.serve))
    // Where it could not be told whether there was any, nobody has been found.
    var unknown = DaemonChoice(failure, isThere: false, canServe: true, backoff: .init())
    #expect(unknown.mode == .unreachable && unknown.handle(.began) == [.connect])
    #expect(!unknown.handle(.lost(Self.broken)).contains(.serve))
    #expect(unknown.handle(.lost(Self.absent)).contains(.serve))
  }

  @Test("what connecting gives says who is there, and what it does not say is nobody's absence")
  func presence() {
    let absent: [Int32] = [ENOENT, ENOTDIR, ECONNREFUSED]
    #expect(absent.allSatisfy { DaemonPresence(connecting: $0) == .absent })
    let unknown: [Int32] = [EMFILE, ENFILE, ENOMEM, EINTR, ENAMETOOLONG, EPROTOTYPE]
    #expect(unknown.allSatisfy { DaemonPresence(connecting: $0) == .unknown })
    #expect(DaemonPresence(connecting: EACCES) == .forbidden)
    #expect(DaemonPresence(connecting: EAGAIN) == .listening)
    let long = DaemonClient(
      address: DaemonAddress(socketPath: "/" + String(repeating: "s", count: 200)),
      now: MonotonicTime.now)
    #expect(long.presence == .unknown && !long.isAnswered)
    #expect {
      try long.statusNow()
    } throws: { error in
      if case DaemonClientError.disconnected = error { true } else { false }
    }
    // What cannot be told is looked for again.
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    _ = choice.handle(.changed)
    #expect(choice.handle(.looked(.unknown)) == [] && choice.standing == .process)
  }

  @Test("begins by this process where there is none, if it can")
  func none() {
    var alone = choice(Self.absent)
    #expect(alone.mode == .cooperative)
    #expect(alone.handle(.began) == [.serve, .wait(.look, 1, .seconds(30))])
    var waiting = choice(Self.absent, canServe: false)
    #expect(waiting.mode == .unreachable)
    #expect(waiting.handle(.began) == [.connect])
    #expect(!waiting.handle(.lost(Self.absent)).contains(.serve))
  }

  @Test("is waited for, once it has served, however long it is away")
  func away() {
    var choice = choice(nil)
    _ = choice.handle(.began)
    #expect(choice.handle(.told) == [])
    var found: [Duration] = []
    for number in 1...7 {
      let actions = choice.handle(.lost(Self.absent))
      #expect(actions.contains(.mode(.unreachable)) == (number == 1))
      #expect(actions.contains { if case .report = $0 { true } else { false } } == (number == 1))
      #expect(!actions.contains(.serve) && !actions.contains(.restrict))
      found += waits(actions)
      #expect(choice.handle(.waited(.connection, UInt64(number))) == [.connect])
    }
    #expect(found == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    #expect(choice.handle(.told) == [.mode(.enforced)])
    #expect(waits(choice.handle(.lost(Self.absent))) == [.seconds(1)])
  }

  @Test("comes back when the kernel tells of its socket, and a wait that was for it is over")
  func changed() {
    var choice = choice(nil)
    _ = choice.handle(.began)
    #expect(choice.handle(.changed) == [])
    _ = choice.handle(.lost(Self.broken))
    #expect(choice.handle(.changed) == [.connect])
    #expect(choice.handle(.changed) == [])
    #expect(choice.handle(.waited(.connection, 1)) == [])
  }

  @Test("takes over from this process, which gives the receiver back first")
  func takesOver() {
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    #expect(choice.handle(.changed) == [.look])
    #expect(choice.handle(.looked(.absent)) == [])
    #expect(choice.handle(.waited(.look, 1)) == [.look])
    #expect(choice.handle(.looked(.listening)) == [.stop])
    // Nothing is begun before that is done.
    #expect(choice.handle(.changed) == [] && choice.handle(.looked(.listening)) == [])
    #expect(choice.handle(.ended(failure: "gone", hadFix: true)) == [])
    let actions = choice.handle(.stopped)
    #expect(actions.first == .mode(.unreachable) && actions.last == .connect)
    #expect(choice.handle(.told) == [.mode(.enforced)])
    #expect(!choice.handle(.lost(Self.absent)).contains(.serve))
  }

  @Test("one that went before it said anything leaves the process to itself")
  func fled() {
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    _ = choice.handle(.changed)
    _ = choice.handle(.looked(.listening))
    _ = choice.handle(.stopped)
    let actions = choice.handle(.lost(Self.absent))
    #expect(actions.starts(with: [.mode(.cooperative), .decide, .serve]))
  }

  @Test("one that comes and may not be asked restricts, but not while its socket is being made")
  func barred() {
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    _ = choice.handle(.changed)
    #expect(choice.handle(.looked(.forbidden)) == [.stop])
    _ = choice.handle(.stopped)
    #expect(!choice.handle(.lost(Self.forbidden)).contains(.restrict))
    #expect(choice.handle(.lost(Self.forbidden)).contains(.restrict))
    // Said once.
    #expect(!choice.handle(.lost(Self.forbidden)).contains(.restrict))
    // Somebody had the daemon's place.
    #expect(!choice.handle(.lost(Self.absent)).contains(.serve))
  }

  @Test("one that does not take what the program says is there, and restricts at once")
  func rejected() {
    let fault = DaemonClientError.rejected(.malformed("purpose takes at most 512 bytes"))
    var choice = choice(fault)
    #expect(choice.mode == .enforced)
    _ = choice.handle(.began)
    let actions = choice.handle(.lost(fault))
    #expect(actions.contains(.restrict) && !actions.contains { $0 == .mode(.unreachable) })
    #expect(choice.mode == .enforced && !choice.handle(.lost(fault)).contains(.restrict))
    #expect(!choice.handle(.lost(Self.absent)).contains(.serve))
    var served = self.choice(nil)
    _ = served.handle(.began)
    _ = served.handle(.told)
    #expect(served.handle(.lost(fault)).contains(.restrict) && served.mode == .enforced)
    _ = served.handle(.told)
    #expect(served.handle(.lost(fault)).contains(.restrict))
  }

  @Test("a source of this process that fails is run again, later and later")
  func fails() {
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    var found: [Duration] = []
    for number in 2...4 {
      found += waits(choice.handle(.ended(failure: "busy", hadFix: false)))
      #expect(choice.handle(.waited(.source, UInt64(number))) == [.serve])
    }
    found += waits(choice.handle(.ended(failure: "busy", hadFix: true)))
    #expect(found == [1, 2, 4, 1].map { .seconds($0) })
    // A recording is over.
    #expect(waits(choice.handle(.ended(failure: nil, hadFix: true))).isEmpty)
  }

  @Test("looks once at a time, and again where something changed meanwhile")
  func looks() {
    var choice = choice(Self.absent)
    _ = choice.handle(.began)
    #expect(choice.handle(.changed) == [.look])
    for _ in 0..<100 { #expect(choice.handle(.changed) == []) }
    #expect(choice.handle(.looked(.absent)) == [.look])
    #expect(choice.handle(.looked(.absent)) == [])
  }
}
