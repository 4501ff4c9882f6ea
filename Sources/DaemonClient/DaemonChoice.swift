// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// Decides by whom a program is served: events in, actions out.
///
/// By the daemon where there is one. Where there is none, by this process if it can, until a daemon
/// comes. A daemon that has served once is waited for however long it is away: what it would not
/// tell must not be had by its going. So is one that may not be asked or cannot be understood, since
/// somebody holds the daemon's place.
struct DaemonChoice: Equatable, Sendable {
  /// By whom.
  enum Standing: Equatable, Sendable {
    case daemon
    case process
    /// This process gives the receiver back first.
    case handingOver
  }

  /// What is waited for.
  enum Wait: Hashable, Sendable {
    /// Until the daemon is tried again.
    case connection
    /// Until it is looked for again.
    case look
    /// Until this process's source is run again.
    case source
  }

  enum Event: Equatable, Sendable {
    case began
    /// The daemon said what the program may know.
    case told
    /// The connection is lost, or could not be had.
    case lost(DaemonClientError)
    /// The wait of that number is over.
    case waited(Wait, UInt64)
    /// Something has changed where the socket is, or should be.
    case changed
    case looked(DaemonPresence)
    /// This process's source has stopped, as it was told to.
    case stopped
    /// It has come to its end, or failed.
    ///
    /// One that has told of a position is run again soon.
    case ended(failure: String?, hadFix: Bool)
  }

  enum Action: Equatable, Sendable {
    case connect
    case look
    case wait(Wait, UInt64, Duration)
    /// Decide in this process from now on.
    case decide
    /// Run this process's source.
    case serve
    case stop
    case mode(AuthorizationMode)
    /// Nothing may be known.
    case restrict
    case lose(SourceLoss)
    /// Say it to whoever runs the board.
    case report(String)
  }

  /// How often a daemon is looked for where the kernel does not tell of its socket.
  static let lookInterval = Duration.seconds(30)

  private(set) var standing: Standing
  private(set) var mode: AuthorizationMode
  private let backoff: DaemonSession.Backoff
  private let canServe: Bool
  /// Whether somebody was found in the daemon's place: whoever it was is not done without.
  private var isMet: Bool
  private var connectionWait: Duration?
  private var sourceWait: Duration?
  private var waits: [Wait: UInt64] = [:]
  private var waitCount: UInt64 = 0
  private var reported: String?
  /// How often in turn the daemon could not be asked: a socket that is being made may not be opened
  /// for a moment.
  private var barrierCount = 0
  /// Whether the program has been told that it may know nothing, for that.
  private var isRestricted = false
  private var isLooking = false
  /// Whether something has changed since the look that goes on was begun.
  private var looksAgain = false

  /// Begins.
  ///
  /// - Parameters:
  ///   - failure: Why the daemon was not spoken to; `nil` where it was.
  ///   - isThere: Whether somebody has the daemon's place, as far as is known.
  ///   - canServe: Whether this process can.
  ///   - backoff: How long it waits between attempts.
  init(
    _ failure: DaemonClientError?, isThere: Bool = true, canServe: Bool,
    backoff: DaemonSession.Backoff
  ) {
    self.canServe = canServe
    self.backoff = backoff
    let isAbsent = if case .noDaemon? = failure { true } else { false }
    isMet = isThere && !isAbsent
    standing = isAbsent && canServe ? .process : .daemon
    let isHeard = failure?.isRejection ?? true
    mode = standing == .process ? .cooperative : isHeard ? .enforced : .unreachable
    reported = standing == .daemon ? failure.map { "\($0)" } : nil
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .began:
      return standing == .process ? [.serve, wait(.look, Self.lookInterval)] : [.connect]
    case .told:
      guard standing == .daemon else { return [] }
      (isMet, connectionWait, reported, barrierCount) = (true, nil, nil, 0)
      isRestricted = false
      return turn(.enforced)
    case .lost(let error): return standing == .daemon ? lose(error) : []
    case .waited(let what, let number):
      guard waits[what] == number else { return [] }
      waits[what] = nil
      return go(on: what)
    case .changed:
      switch standing {
      case .daemon where waits.removeValue(forKey: .connection) != nil: return [.connect]
      case .process: return look()
      case .daemon, .handingOver: return []
      }
    case .looked(let presence): return look(presence)
    case .stopped:
      guard standing == .handingOver else { return [] }
      standing = .daemon
      return turn(.unreachable) + [
        .lose(SourceLoss(.disconnected, detail: "a daemon serves from now on")), .connect,
      ]
    case .ended(let failure, let hadFix):
      return standing == .process ? end(failure, hadFix: hadFix) : []
    }
  }

  private mutating func go(on what: Wait) -> [Action] {
    switch (what, standing) {
    case (.connection, .daemon): [.connect]
    case (.look, .process): look()
    case (.source, .process): [.serve]
    default: []
    }
  }

  private mutating func look() -> [Action] {
    looksAgain = isLooking
    guard !isLooking else { return [] }
    isLooking = true
    return [.look]
  }

  private mutating func look(_ presence: DaemonPresence) -> [Action] {
    isLooking = false
    guard standing == .process else { return [] }
    guard presence != .absent, presence != .unknown else {
      if looksAgain { return look() }
      return waits[.look] == nil ? [wait(.look, Self.lookInterval)] : []
    }
    (standing, isMet, connectionWait, waits) = (.handingOver, false, nil, [:])
    return [.stop]
  }

  private mutating func lose(_ error: DaemonClientError) -> [Action] {
    if case .noDaemon = error, canServe, !isMet {
      (standing, sourceWait, reported, isRestricted) = (.process, nil, nil, false)
      return turn(.cooperative) + [.decide, .serve, wait(.look, Self.lookInterval)]
    }
    let isAbsent = if case .noDaemon = error { true } else { false }
    // One that does not take what the program says is there, and lets it know nothing.
    var actions = turn(error.isRejection ? .enforced : .unreachable)
    barrierCount = error.isBarrier ? barrierCount + 1 : 0
    if error.isRejection || barrierCount >= 2, !isRestricted {
      (isMet, isRestricted) = (true, true)
      actions.append(.restrict)
    }
    actions.append(
      .lose(SourceLoss(isAbsent ? .unreachable : .disconnected, detail: "\(error)")))
    actions += report("\(error)")
    connectionWait = backoff.next(after: connectionWait)
    return actions + [wait(.connection, connectionWait ?? backoff.first)]
  }

  private mutating func end(_ failure: String?, hadFix: Bool) -> [Action] {
    guard let failure else { return [.lose(SourceLoss(.disconnected, detail: "it has ended"))] }
    sourceWait = backoff.next(after: hadFix ? nil : sourceWait)
    return [.lose(SourceLoss(.disconnected, detail: failure))] + report(failure)
      + [wait(.source, sourceWait ?? backoff.first)]
  }

  private mutating func turn(_ new: AuthorizationMode) -> [Action] {
    guard mode != new else { return [] }
    mode = new
    return [.mode(new)]
  }

  /// Once for each thing that is wrong.
  private mutating func report(_ text: String) -> [Action] {
    guard reported != text else { return [] }
    reported = text
    return [.report(text)]
  }

  private mutating func wait(_ what: Wait, _ duration: Duration) -> Action {
    waitCount &+= 1
    waits[what] = waitCount
    return .wait(what, waitCount, duration)
  }
}
