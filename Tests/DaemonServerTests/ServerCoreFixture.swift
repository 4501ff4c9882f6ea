// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning

@testable import DaemonServer

/// A server core with a manual clock.
///
/// Records the data sent on each connection.
struct ServerCoreFixture {
  var core: ServerCore
  var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
  var sent: [UInt64: [UInt8]] = [:]
  var actions: [ServerCore.Action] = []
  /// The connections that the core closed or aborted.
  var ended: Set<UInt64> = []
  /// The clients whose policies the core opened.
  var opened: [ServerClient.Key] = []
  /// The authorization requests that the core passed to policies.
  var asked: [(key: ServerClient.Key, number: UInt64)] = []
  /// Connections whose writes do not complete.
  var stuck: Set<UInt64> = []
  /// The initial authorization of each client.
  var initial: Authorization
  /// The requests that need an operator's decision.
  var operatorRequests = OperatorRequests.all
  /// Whether policies open at once; if false, they never open.
  var opensPolicies = true
  private var lastID: UInt64 = 0

  // The published coordinate; tests check whether the sent data contains these texts.
  static let latitude = "54.093468333"
  static let longitude = "10.824651667"

  init(limits: ServerLimits = ServerLimits(), initial: Authorization = Authorization(.notDetermined)) {
    self.initial = initial
    core = ServerCore(limits: limits, ownUser: 990)
  }

  mutating func advance(seconds: Double) {
    now = now.advanced(byNanoseconds: Int64(seconds * 1e9))
    handle(.deadlineReached)
  }

  /// Connects, sends a request, and returns the connection.
  @discardableResult
  mutating func request(
    _ request: DaemonRequest, user: UInt32 = 1000, unit: String? = nil, process: Int32 = 7,
    session: WebSession? = nil
  ) -> UInt64 {
    self.request(request, by: ClientIdentity(userID: user, systemUnit: unit), process: process, session: session)
  }

  /// Connects as a client, sends a request, and returns the connection.
  @discardableResult
  mutating func request(
    _ request: DaemonRequest, by identity: ClientIdentity, process: Int32 = 7,
    session: WebSession? = nil
  ) -> UInt64 {
    lastID += 1
    let id = lastID
    let owner =
      session == nil
      ? ConnectionOwner(identity) : ConnectionOwner(userID: identity.userID, isBrowser: true)
    guard core.connect(id, owner: owner, at: now) == nil else { return id }
    handle(.connected(id))
    let token = ProcessToken(process: process, startTicks: UInt64(identity.userID), boot: "b")
    handle(.requested(id, request, PeerEvidence(identity: identity, process: token), session))
    return id
  }

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Connects without sending a request.
  mutating func connect(user: UInt32) -> DaemonFault? {
    lastID += 1
    return core.connect(lastID, owner: ConnectionOwner(userID: user), at: now)
  }

  mutating func close(_ id: UInt64) { handle(.closed(id)) }

  static let status = ServerStatus(
    forEverybody: Array(#"{"in":1}"#.utf8),
    forFullAccuracy: Array(#"{"in":1,"lastError":"GET /?lat=54.093468333"}"#.utf8))

  /// The daemon's metrics.
  var metrics = ServerStatus(forEverybody: Array("everybody 1\n".utf8), forFullAccuracy: Array("full 1\n".utf8))

  static let places = Array(#"{"class":"PLACES","places":[]}"#.utf8)
  /// The requests that wait, as a JSON array.
  var requests = Array("[]".utf8)
  /// The decisions that the core passed to the store, and the answer of the store.
  var decided: [(number: UInt64, decision: DaemonDecision, by: UInt32, reason: String)] = []
  var decisionFault: DaemonFault?

  mutating func handle(_ event: ServerCore.Event) {
    var events = [event]
    while !events.isEmpty {
      for action in core.handle(events.removeFirst(), at: now) {
        actions.append(action)
        switch action {
        case .write(let id, let bytes):
          sent[id, default: []] += bytes
          if !stuck.contains(id) { events.append(.written(id)) }
        case .close(let id), .abort(let id):
          ended.insert(id)
          events.append(.closed(id))
        case .openPolicy(let key, let base):
          opened.append(key)
          guard opensPolicies else { break }
          let authorization = base.map { Authorization($0) } ?? initial
          events.append(.policyOpened(key, authorization, isDeniedGlobally: false, operatorRequests: operatorRequests))
        case .ask(let key, _, _, let number): asked.append((key, number))
        case .readStatus(let id): events.append(.status(id, Self.status))
        case .readMetrics(let id): events.append(.status(id, metrics))
        case .web(.readPlaces(let id, let coordinate)):
          events.append(.web(.places(id, coordinate, Self.places)))
        case .web(.readRequests(let id)): events.append(.web(.requests(id, requests)))
        case .web(.decide(let id, let number, let decision, let user, let reason)):
          decided.append((number, decision, user, reason))
          events.append(.web(.decided(id, decisionFault)))
        default: break
        }
      }
    }
  }

  mutating func decide(_ authorization: Authorization, at index: Int = 0) {
    handle(.policy(opened[index], .decided(authorization)))
  }

  mutating func publishFix(latitude: Double = 54.093468333, mode: FixMode = .threeDimensional) {
    var fix = mode > .none ? Fix.at(latitude, 10.824651667, mode: mode) : Fix(mode: .none)
    fix.satellitesUsed = 8
    fix.source = "/dev/ttyACM0"
    fix.receivedAt = now
    handle(.published(.fix(fix)))
  }

  mutating func publishSky() {
    handle(.published(.sky(SkyView(satellites: [Samples.satellite(13)]))))
  }

  func text(_ id: UInt64) -> String { String(decoding: sent[id] ?? [], as: UTF8.self) }

  /// The classes of the objects sent on a stream.
  func classes(_ id: UInt64) -> [String] {
    (sent[id] ?? []).split(separator: UInt8(ascii: "\n")).compactMap { line in
      line.starts(with: "event: ".utf8) ? String(decoding: line.dropFirst(7), as: UTF8.self) : nil
    }
  }
}
