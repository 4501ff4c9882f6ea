// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Connections to the daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonConnectionTests {
  private typealias Event = DaemonSession.Event

  private static func isFix(_ event: Event) -> Bool {
    if case .object(.fix) = event { true } else { false }
  }

  private static func isLost(_ event: Event) -> Bool {
    if case .lost = event { true } else { false }
  }

  private static func isAuthorization(_ event: Event) -> Bool {
    if case .object(.authorization) = event { true } else { false }
  }

  @Test func `each location manager of a program has its own connection`() async throws {
    let board = try await BoardFixture.serving(.always)
    var managers: [LocationManager] = []
    for _ in 0..<10 { managers.append(await board.manager()) }
    let listeners = managers.map { _ in Listener() }
    for (manager, listener) in zip(managers, listeners) {
      manager.delegate = listener
      manager.startUpdatingLocation()
    }
    board.publishFix()
    for listener in listeners { #expect(await listener.waitForLocations() != nil) }
    #expect(board.reports.events.isEmpty)
    withExtendedLifetime(managers) {}
    try await board.stopDaemon()
  }

  @Test func `a session whose request waits for an operator has a single connection`() async throws {
    let board = try await BoardFixture.serving()
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.requestWhenInUseAuthorization()
    while try await !board.client.status().authorization.isPending { await Task.yield() }
    while board.server?.connectionCount != 1 { await Task.yield() }
    try board.decide(.always)
    await listener.waitForStatus(.authorizedAlways)
    try await board.stopDaemon()
  }

  @Test(arguments: [
    String(repeating: "x", count: 600), "two\nlines", "a\u{1B}[31m bell\u{7}", "\u{202E}txt",
    String(repeating: "\u{1F9ED}", count: 200), "", "\n", "\u{200B}",
  ])
  func `invalid texts in a request are changed so that the daemon accepts the request`(text: String) throws {
    let events = DaemonRequest(.events, purpose: text, activity: text).sanitized
    let read = try DaemonRequest(method: "GET", target: events.target)
    #expect(read == events && read.activity?.isEmpty == false)
    let authorization = DaemonRequest(.authorization(DaemonAuthorizationRequest(.always, purpose: text))).sanitized
    let decoded = try DaemonRequest(method: "POST", target: authorization.target, body: authorization.body)
    #expect(decoded == authorization)
    let key = DaemonRequest(.authorization(DaemonAuthorizationRequest(.temporaryFull, purpose: text)))
    #expect(key.sanitized == key)
  }

  @Test func `valid texts in a request are not changed`() {
    let request = DaemonRequest(.events, purpose: "find the way", activity: "sailing home \u{26F5}")
    #expect(request.sanitized == request)
  }

  @Test func `if the daemon rejects an activity, the error is reported once and the connection is kept`() async throws {
    var limits = ServerLimits()
    limits.headBytes = 400
    let board = try await BoardFixture.serving(.always, limits: limits)
    let manager = await board.manager()
    let listener = Listener.following(manager)
    board.publishFix()
    await listener.waitForLocations()
    manager.beginActivity(reason: String(repeating: "x", count: 500))
    await board.reports.wait(for: 1)
    #expect(board.reports.events.first?.contains("too large") == true)
    board.publishFix(latitude: 10)
    await listener.waitForLocations(2)
    #expect(manager.authorizationMode == .enforced)
    #expect(!listener.received.events.contains(.failed(.locationUnknown)))
    // A valid activity is sent.
    manager.endActivity()
    manager.beginActivity(reason: "sailing home")
    board.publishFix(latitude: 20)
    await listener.waitForLocations(3)
    await board.waitForLog("sailing home")
    #expect(board.reports.events.count == 1)
    try await board.stopDaemon()
  }

  @Test func `if a replacement connection fails, it is retried, and the active connection is kept`() async throws {
    var limits = ServerLimits()
    limits.connections = 2
    limits.reservedConnections = 0
    let board = try await BoardFixture.serving(.always, limits: limits)
    let clock = ManualClock()
    let (events, others) = (EventRecorder<Event>(), EventRecorder<Event>())
    let (session, other) = (
      DaemonSession(
        board.client, purpose: nil, watchesSocket: false, clock: clock, assuming: nil,
        report: { [reports = board.reports] in reports.record($0) }),
      DaemonSession(board.client, purpose: nil, watchesSocket: false, assuming: nil)
    )
    let following = Task { await session.follow { events.record($0) } }
    await events.wait { $0.contains(where: Self.isAuthorization) }
    let otherFollowing = Task { await other.follow { others.record($0) } }
    await others.wait { $0.contains(where: Self.isAuthorization) }
    session.note(.activityBegan(reason: "sailing home"))
    await board.reports.wait(for: 1)
    #expect(board.reports.events.first?.contains("too many connections") == true, "\(board.reports.events)")
    board.publishFix()
    await events.wait { $0.contains(where: Self.isFix) }
    #expect(!events.events.contains(where: Self.isLost))
    otherFollowing.cancel()
    await otherFollowing.value
    await board.waitForLog("stopped")
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await board.waitForLog("sailing home")
    #expect(!events.events.contains(where: Self.isLost) && board.reports.events.count == 1)
    following.cancel()
    await following.value
    try await board.stopDaemon()
  }

  @Test func `a grant ends if the restarted daemon cannot decide the repeated request`() async throws {
    let board = try await BoardFixture.serving(policy: "allow \(BoardFixture.user)\n")
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.requestAlwaysAuthorization()
    await listener.waitForStatus(.authorizedAlways)
    let count = listener.received.events.count
    try await board.stopDaemon()
    var limits = ServerLimits()
    limits.bodyBytes = 8
    await board.startDaemon(limits: limits)
    await listener.received.wait {
      $0.dropFirst(count).contains(.status(.notDetermined, .fullAccuracy))
    }
    #expect(manager.authorizationStatus == .notDetermined && manager.location == nil)
    try await board.stopDaemon()
  }
}
