// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import FoundationEssentials
import Glibc
import LocationServices
import Positioning
import SystemSupport

@testable import DaemonClient

/// A board with a policy and a daemon that can be started and stopped.
final class BoardFixture {
  let folder: ScratchFolder
  let address: DaemonAddress
  let places: PolicyPaths
  /// The lines that programs on the board have logged.
  let reports = EventRecorder<String>()
  /// The policy's selector for the user who runs the tests.
  static let user = ClientSelector(userID: geteuid())
  private(set) var server: SocketServer?
  private var running: Task<Void, any Error>?

  init(policy: String = "") throws {
    folder = try ScratchFolder()
    try folder.write("root/etc/fixcast/policy.d/test.conf", policy)
    try folder.makeFolder("run")
    address = DaemonAddress(socketPath: folder.path + "/run/s")
    places = PolicyPaths(root: folder.path + "/root")
  }

  deinit { running?.cancel() }

  /// Returns a board with a running daemon, after an operator's decision.
  static func serving(
    _ level: Decision.Level? = nil, reduced: Bool = false, policy: String = "",
    limits: ServerLimits = ServerLimits()
  ) async throws -> BoardFixture {
    let board = try BoardFixture(policy: policy)
    if let level { try board.decide(level, reduced: reduced) }
    await board.startDaemon(limits: limits)
    return board
  }

  /// A new client of the daemon.
  var client: DaemonClient { DaemonClient(address: address, now: { .now() }) }

  func startDaemon(limits: ServerLimits = ServerLimits()) async {
    var configuration = SocketServer.Configuration(address: address, policyPaths: places)
    configuration.limits = limits
    configuration.trustedUsers = []
    let server = SocketServer(configuration, now: { .now() }, report: { _ in })
    let ready = EventRecorder<Bool>()
    running = Task { try await server.run { ready.record(true) } }
    _ = await ready.wait(for: 1)
    self.server = server
  }

  func stopDaemon() async throws {
    running?.cancel()
    try await running?.value
    (running, server) = (nil, nil)
  }

  /// Publishes a position.
  func publishFix(latitude: Double = 54.093468333, time: Int64 = 1_767_225_600) {
    server?.publish(.fix(Self.fix(latitude: latitude, time: time)))
  }

  static func fix(latitude: Double = 54.093468333, time: Int64 = 1_767_225_600) -> Fix {
    .at(latitude, 10.824651667, time: UTCTime(secondsSince1970: time)) {
      $0.speedMetersPerSecond = 3
      $0.horizontalAccuracy = Accuracy(meters: 12, confidencePercent: 95, basis: .receiver)
      ($0.source, $0.receivedAt) = ("/dev/ttyACM0", .now())
    }
  }

  /// Makes a decision as an operator.
  func decide(_ level: Decision.Level, reduced: Bool = false, once: Bool = false) throws {
    var decision = Decision(selector: Self.user, level: level, created: .now(), grantedBy: 0)
    decision.isReduced = reduced
    decision.servesOnce = once
    _ = try places.store.update { [decision] in $0.record(decision) }
  }

  /// Waits until the audit log contains a text, and returns the log.
  @discardableResult
  func waitForLog(_ text: String) async -> String {
    let logs = EventRecorder<String>()
    let state = folder.path + "/root/var/lib/fixcast"
    let read: @Sendable () -> Void = {
      logs.record((try? String(contentsOfFile: state + "/uses.jsonl", encoding: .utf8)) ?? "")
    }
    let watch = FolderWatch([.init(path: state, suffix: "uses.jsonl")]) { _ in read() }
    read()
    let contents = await logs.wait { $0.contains { $0.contains(text) } }
    withExtendedLifetime(watch) {}
    return contents.first { $0.contains(text) } ?? ""
  }

  /// A manager on this board.
  ///
  /// Without a daemon, the manager uses `policy` and `source`. The manager's initializer blocks
  /// until the daemon responds, so this function runs it on a thread that the test's daemon does
  /// not use. The daemon may respond late while all other tests run.
  func manager(
    _ source: ScriptedSource = ScriptedSource(),
    policy: any AuthorizationPolicy = AllowAll(initially: .authorizedAlways)
  ) async -> LocationManager {
    await BlockingThread.value { [address, reports] in
      let report: @Sendable (String) -> Void = { reports.record($0) }
      return LocationManager(
        purpose: "follow the board",
        session: DaemonSession(
          ifPresent: DaemonClient(address: address, now: MonotonicTime.now),
          timeoutMilliseconds: 60_000, report: report),
        otherwise: InProcess(policy: { policy }, source: { source }), report: report)
    }
  }
}

/// The source of a program without a daemon, which delivers the fixes that a test passes to it.
final class ScriptedSource: FixSource {
  let name = "scripted"
  let events = EventRecorder<String>()
  private let fixes = EventRecorder<@Sendable (FixSourceEvent) -> Void>()

  func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
    events.record("open")
    fixes.record(deliver)
    await Task.untilCancelled()
    events.record("closed")
  }

  func deliver(_ fix: Fix) async { await fixes.wait(for: 1).last?(.fix(fix)) }
}

/// A delegate that records its callbacks in order.
final class Listener: LocationManagerDelegate {
  enum Event: Equatable, Sendable {
    case status(AuthorizationStatus, AccuracyAuthorization)
    case location(Location)
    case heading(Heading)
    case failed(LocationError)
    case answered(LocationError?)
  }

  let received = EventRecorder<Event>()

  /// Returns a new listener that is set as the delegate of a manager, and starts updates.
  ///
  /// The caller must retain the listener, because the manager does not retain it.
  static func following(_ manager: LocationManager) -> Listener {
    let listener = listening(to: manager)
    manager.startUpdatingLocation()
    return listener
  }

  /// Returns a new listener that is set as the delegate of a manager.
  static func listening(to manager: LocationManager) -> Listener {
    let listener = Listener()
    manager.delegate = listener
    return listener
  }

  var locations: [Location] { Self.locations(received.events) }

  static func locations(_ events: [Event]) -> [Location] {
    events.compactMap { if case .location(let location) = $0 { location } else { nil } }
  }

  /// The locations before the first event with a status.
  func locations(before status: AuthorizationStatus) -> [Location] {
    Self.locations(Array(received.events.prefix { if case .status(status, _) = $0 { false } else { true } }))
  }

  func waitForStatus(_ status: AuthorizationStatus) async {
    await received.wait { events in
      events.contains { if case .status(status, _) = $0 { true } else { false } }
    }
  }

  /// Waits for a number of locations, and returns the last location.
  @discardableResult
  func waitForLocations(_ count: Int = 1) async -> Location? {
    let events = await received.wait { Self.locations($0).count >= count }
    return Self.locations(events).last
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    received.record(.status(manager.authorizationStatus, manager.accuracyAuthorization))
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    for location in locations { received.record(.location(location)) }
  }

  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {
    received.record(.heading(heading))
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    received.record(.failed(error))
  }
}
