// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationServices
public import Positioning
internal import Synchronization

/// The daemon as a source of fixes and as whoever decides, for a location manager in this process.
///
/// The daemon lets through what this program may know; what the manager makes of it, filters and
/// regions, is this program's own. While the daemon is away it is looked for, seldom more and more.
/// Where there was none from the beginning, a program that can may act by itself until one comes.
///
/// What is decided and what it lets through come one after another, so that neither overtakes the
/// other: whoever is called must return at once.
public final class DaemonSession: FixSource, AuthorizationPolicy {
  /// How long it waits before it looks for the daemon again: doubled each time, up to the last.
  public struct Backoff: Hashable, Sendable {
    /// The first wait.
    public var first = Duration.seconds(1)
    /// The longest.
    public var longest = Duration.seconds(30)

    /// The usual one.
    public init() {}

    func next(after wait: Duration?) -> Duration { wait.map { min($0 * 2, longest) } ?? first }
  }

  /// Everything that comes, for those who want more than fixes.
  public enum Event: Equatable, Sendable {
    /// An object.
    case object(DaemonEvent)
    /// The connection is lost, or could not be had.
    case lost(DaemonClientError)
  }

  /// Who takes what there is while it runs.
  struct Takers: Sendable {
    var fixes: @Sendable (FixSourceEvent) -> Void = { _ in }
    var events: @Sendable (Event) -> Void = { _ in }
  }

  struct State {
    var choice: DaemonChoice
    let backoff: Backoff
    /// What holds, by whoever decides.
    var told: DaemonAuthorization
    /// Decides in this process, where no daemon does.
    var policy: (any AuthorizationPolicy)?
    var listening: PolicyListening?
    var nextID: UInt64 = 0
    var listeners: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
    /// What the program has requested, with what for: of a daemon that comes it is requested again.
    var requested: [AuthorizationRequest: String] = [:]
    /// What of that nobody has answered.
    var open: [AuthorizationRequest: String] = [:]
    var asking: Set<AuthorizationRequest> = []
    /// Whether a daemon that has come back is asked what it would grant, and that is not told yet.
    var isHolding = false
    /// What the daemon said meanwhile.
    var withheld: DaemonAuthorization?
    /// Who waits for full accuracy.
    var fullAccuracy: [UInt64: AsyncStream<Arrival>.Continuation] = [:]
    var activityCount = 0
    var activity: String?
    /// An activity that the daemon does not take: connections are made without it.
    var refusedActivity: String?
    /// Whether locations are wanted only while something of the program's uses them.
    var isOnDemand = false
    /// What the program uses locations for at present.
    var uses: Set<LocationServiceKind> = []
    /// What the policy in this process is to hear of it.
    var notes = UseNotes()
    /// What the connection that speaks told the daemon.
    var toldTerms: Terms?
    var takers = Takers()
    var jobs: AsyncStream<Job>.Continuation?
    /// Connections that were begun, and have neither spoken nor failed.
    var attempts: Set<UInt64> = []
    /// The last wait for another attempt to replace a connection that goes on meanwhile, and whether
    /// it lasts.
    var renewalWait: Duration?
    var awaitsRenewal = false
    /// The connection that was begun last, and the one that is listened to.
    var newest: UInt64 = 0
    var current: UInt64 = 0
    /// Whether that one speaks.
    var isConnected = false
  }

  /// What a connection tells the daemon as it is made; another takes another connection.
  struct Terms: Equatable, Sendable {
    var activity: String?
    /// Whether it is told where the board is, or what the program may know alone.
    var tellsLocations = true
  }

  /// What somebody may wait for.
  enum Arrival: Sendable {
    case connected
    case full
    case lost
  }

  /// The name of the source.
  public let name: String
  /// What held when the session was made.
  public let initialAuthorization: Authorization
  /// Whether the switch for the whole board was off then.
  public let isDeniedGlobally: Bool
  /// Who applied the decisions then.
  public let mode: AuthorizationMode

  let client: DaemonClient
  let purpose: String?
  let alternative: InProcess?
  let backoff: Backoff
  let clock: any Clock<Duration>
  let watchesSocket: Bool
  let report: @Sendable (String) -> Void
  let state: Mutex<State>
  /// Held while somebody is called, so that all hear all in one order.
  let order = Mutex(())

  /// Asks the daemon what this program may know, and makes a session.
  ///
  /// - Parameters:
  ///   - client: Speaks to the daemon.
  ///   - purpose: What for; where nobody has decided, that is asked for as the session runs.
  ///   - backoff: How long it waits between attempts.
  ///   - watchesSocket: Whether the kernel is asked to tell when the daemon comes; where it is not,
  ///     the next attempt finds out.
  ///   - clock: What the waits are measured by.
  /// - Throws: ``DaemonClientError``.
  public convenience init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(DaemonClientError) {
    let told = try await client.status().authorization
    self.init(
      client, purpose: purpose, backoff: backoff, watchesSocket: watchesSocket, clock: clock,
      assuming: told)
  }

  /// Makes a session of whoever serves this board: the daemon, else this process until one comes.
  ///
  /// The daemon is asked on this thread, which takes milliseconds, and two seconds at most. One that
  /// does not answer, cannot be understood or may not be asked leaves the program restricted until
  /// it does, and not to itself, even when it goes. Nothing is asked of an operator before the
  /// program requests it.
  ///
  /// - Parameters:
  ///   - client: Speaks to the daemon.
  ///   - alternative: What the program does by itself where there is no daemon.
  ///   - backoff: How long it waits between attempts.
  ///   - watchesSocket: Whether the kernel is asked to tell when the daemon comes; it is looked for
  ///     twice a minute in any case.
  ///   - clock: What the waits are measured by.
  ///   - report: Takes lines for whoever runs the board; by default they go to standard error.
  public convenience init(
    _ client: DaemonClient, otherwise alternative: InProcess, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    var presence = DaemonPresence.unknown
    var told: DaemonAuthorization?
    var failure: DaemonClientError?
    do throws(DaemonClientError) {
      told = try client.statusNow(&presence).authorization
    } catch { failure = error }
    self.init(
      client, purpose: nil, otherwise: alternative, backoff: backoff,
      watchesSocket: watchesSocket, clock: clock,
      assuming: told ?? DaemonAuthorization(Authorization(.restricted)), failure: failure,
      isThere: presence != .unknown, report: report)
  }

  /// Makes a session by what is known; `nil` for nothing.
  init(
    _ client: DaemonClient, purpose: String?, otherwise alternative: InProcess? = nil,
    backoff: Backoff = Backoff(), watchesSocket: Bool = true,
    clock: any Clock<Duration> = ContinuousClock(), assuming told: DaemonAuthorization?,
    failure: DaemonClientError? = nil, isThere: Bool = true,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let told = told ?? DaemonAuthorization(Authorization(.notDetermined))
    let choice = DaemonChoice(
      failure, isThere: isThere, canServe: alternative != nil, backoff: backoff)
    let policy = choice.standing == .process ? alternative?.policy() : nil
    self.client = client
    self.purpose = purpose
    self.alternative = alternative
    self.backoff = backoff
    self.watchesSocket = watchesSocket
    self.clock = clock
    self.report = report
    name = "daemon:\(client.address)"
    let held =
      policy.map {
        DaemonAuthorization($0.initialAuthorization, isDeniedGlobally: $0.isDeniedGlobally)
      } ?? told
    initialAuthorization = held.authorization
    isDeniedGlobally = held.isDeniedGlobally
    mode = choice.mode
    state = Mutex(State(choice: choice, backoff: backoff, told: held, policy: policy))
    if let policy { listen(to: policy) }
    if let failure, choice.standing == .daemon { report("\(failure)") }
  }

  /// What was decided last.
  public var authorization: DaemonAuthorization { state.withLock { $0.told } }

  /// Delivers what is told, until the task is cancelled; run once at a time.
  ///
  /// - Parameter deliver: Takes each event.
  /// - Throws: Nothing: a daemon that is away is waited for.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await run(Takers(fixes: deliver), isOnDemand: false)
  }

  /// Follows the daemon's stream, connecting anew as often as it takes, until cancelled.
  ///
  /// - Parameter take: Takes each event, in order; must return at once.
  public func follow(_ take: @escaping @Sendable (Event) -> Void) async {
    await run(Takers(events: take), isOnDemand: false)
  }
}

extension DaemonSession: OnDemandSource {
  /// Delivers what is told while the program uses locations, and what is decided at any time.
  package func runOnDemand(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    await run(Takers(fixes: deliver), isOnDemand: true)
  }
}
