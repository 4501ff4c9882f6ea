// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// Decides which connections to the daemon there are: events in, actions out.
///
/// One connection speaks. Another takes its place where the daemon is to be told other terms; the
/// first goes when the other speaks. A daemon that is away is waited for however long that takes.
struct DaemonLink: Equatable, Sendable {
  /// The terms that a connection tells the daemon as it is made; others take another connection.
  struct Terms: Equatable, Sendable {
    var activity: String?
    /// Whether the daemon tells where the board is, or only what the program may know.
    var includesLocations = true
  }

  enum Wait: Hashable, Sendable {
    /// Until the daemon is tried again.
    case connection
    /// Until the connection that speaks is to be replaced again.
    case renewal
  }

  enum Event: Equatable, Sendable {
    case began
    case wanted(Terms)
    /// The connection of that number spoke.
    case heard(UInt64, Terms)
    /// The daemon said what the program may know.
    case told
    /// The connection of that number failed or ended.
    case ended(UInt64, Terms, DaemonClientError)
    case waited(Wait, UInt64)
    /// Something changed in the folder of the socket.
    case changed
  }

  private(set) var mode: AuthorizationMode
  private let backoff: DaemonSession.Backoff
  private var wanted = Terms()
  /// An activity that the daemon does not take: connections are made without it.
  private var refusedActivity: String?
  /// The terms of the connection that speaks; `nil` where none does.
  private var toldTerms: Terms?
  /// Connections that were begun, and have neither spoken nor failed.
  private var attempts: Set<UInt64> = []
  private var newest: UInt64 = 0
  private var current: UInt64 = 0
  private var connectionWait: Duration?
  private var renewalWait: Duration?
  private var waits: [Wait: UInt64] = [:]
  private var waitCount: UInt64 = 0
  private var reported: String?
  /// How often in turn the daemon could not be asked: a socket that is being made may not be opened
  /// for a moment.
  private var barrierCount = 0
  /// Whether the program was told for that reason that it may know nothing.
  private var isRestricted = false

  init(_ failure: DaemonClientError? = nil, backoff: DaemonSession.Backoff) {
    self.backoff = backoff
    mode = failure?.isRejection ?? true ? .enforced : .unreachable
    reported = failure.map { "\($0)" }
  }

  var isConnected: Bool { toldTerms != nil }

  /// Whether the connection of that number has spoken already; `nil` for one that was replaced.
  func hasSpoken(_ number: UInt64) -> Bool? { number < current ? nil : number == current }

  mutating func handle(_ event: Event) -> [DaemonAction] {
    switch event {
    case .began:
      (attempts, toldTerms, renewalWait, waits) = ([], nil, nil, [:])
      forgetConnections()
      return [connect()]
    case .wanted(let terms):
      let before = self.terms
      wanted = terms
      return isConnected && self.terms != before ? [connect()] : []
    case .heard(let number, let terms):
      guard number > current else { return [] }
      (current, toldTerms, renewalWait) = (number, terms, nil)
      attempts = attempts.filter { $0 > number }
      // What began or ended since it was made goes with another.
      return [.disconnect(before: number)] + (self.terms == terms ? [] : [connect()])
    case .told:
      (connectionWait, reported, barrierCount, isRestricted) = (nil, nil, 0, false)
      return turn(.enforced)
    case .ended(let number, let terms, let error): return end(number, terms, error)
    case .waited(let wait, let number):
      guard waits[wait] == number else { return [] }
      waits[wait] = nil
      switch wait {
      case .connection: return [connect()]
      case .renewal: return isConnected && needsRenewal ? [connect()] : []
      }
    case .changed: return waits.removeValue(forKey: .connection) == nil ? [] : [connect()]
    }
  }

  /// The terms of the next connection: without an activity that the daemon does not take.
  private var terms: Terms {
    var terms = wanted
    if terms.activity == refusedActivity { terms.activity = nil }
    return terms
  }

  private var needsRenewal: Bool { attempts.isEmpty && toldTerms != terms }

  private mutating func connect() -> DaemonAction {
    newest &+= 1
    attempts.insert(newest)
    return .connect(newest, terms)
  }

  private mutating func forgetConnections() { (current, newest) = (newest &+ 1, newest &+ 1) }

  private mutating func end(
    _ number: UInt64, _ terms: Terms, _ error: DaemonClientError
  ) -> [DaemonAction] {
    attempts.remove(number)
    guard number >= current else { return [] }
    let isRefused = error.isRejection && terms.activity != nil
    if isRefused { refusedActivity = terms.activity }
    if isConnected, number > current {
      // The program keeps the connection that it has.
      if isRefused { return (needsRenewal ? [connect()] : []) + [.report("\(error)")] }
      guard attempts.isEmpty, waits[.renewal] == nil else { return [] }
      let isFirst = renewalWait == nil
      let wait = backoff.next(after: renewalWait)
      renewalWait = wait
      return [self.wait(.renewal, wait)] + (isFirst ? [.report("\(error)")] : [])
    }
    toldTerms = nil
    let retry = isRefused && attempts.isEmpty ? [connect()] : []
    guard attempts.isEmpty else { return retry + (isRefused ? [.report("\(error)")] : []) }
    forgetConnections()
    (refusedActivity, renewalWait) = (nil, nil)
    return [.disconnect(before: newest), .arrive(.lost)] + lose(error)
  }

  private mutating func lose(_ error: DaemonClientError) -> [DaemonAction] {
    // A daemon that does not take what the program says is there, and lets it know nothing.
    var actions = turn(error.isRejection ? .enforced : .unreachable)
    barrierCount = error.isBarrier ? barrierCount + 1 : 0
    if error.isRejection || barrierCount >= 2, !isRestricted {
      isRestricted = true
      actions.append(.restrict)
    }
    actions.append(.deliver(.lost(error)))
    if reported != "\(error)" {
      reported = "\(error)"
      actions.append(.report("\(error)"))
    }
    let duration = backoff.next(after: connectionWait)
    connectionWait = duration
    return actions + [wait(.connection, duration)]
  }

  private mutating func turn(_ new: AuthorizationMode) -> [DaemonAction] {
    guard mode != new else { return [] }
    mode = new
    return [.tell([.mode(new)])]
  }

  private mutating func wait(_ wait: Wait, _ duration: Duration) -> DaemonAction {
    waitCount &+= 1
    waits[wait] = waitCount
    return .wait(wait, waitCount, duration)
  }
}
