// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import Synchronization
public import SystemSupport

/// Decides by the files of the board: the administrator's rules, an image's, and operators'
/// answers.
///
/// A request that nobody has decided waits, and the command that answers it is reported; it is
/// neither granted nor refused in silence. While somebody listens the kernel tells of every change
/// of the files, so that a revocation takes a tenth of a second and a board at rest is not woken.
/// What cannot be read restricts.
///
/// It is cooperative: it binds the program it runs in, and no program that opens the receiver
/// itself. One policy serves one location manager, and a process has one.
public final class PolicyFiles: AuthorizationPolicy {
  struct State {
    var snapshot: PolicySnapshot
    var session: PolicySession
    /// What cannot be read, as it was reported last, so that it is said once.
    var problems: [String] = []
    /// What could not be written, as it was reported last.
    var failures: Set<String> = []
    /// Requests whose command has been reported.
    var reported: Set<AuthorizationRequest> = []
    /// What it uses locations for.
    var use = UseSession()
    /// Who waits for full accuracy for a while.
    var waiting = FullAccuracyWaiters()
    var waiterCount: UInt64 = 0
    /// How often the files were looked at.
    var lookCount: UInt64 = 0
  }

  struct Listeners {
    var nextID: UInt64 = 0
    var continuations: [UInt64: AsyncStream<AuthorizationUpdate>.Continuation] = [:]
    var watching: Task<Void, Never>?
  }

  /// Who asks.
  public let client: ClientIdentity
  /// What held when the policy was made; what came since comes as an update.
  public let initialAuthorization: Authorization
  /// Whether the switch for the whole board was off when the policy was made.
  public let isDeniedGlobally: Bool

  let places: PolicyPlaces
  let process: ProcessToken
  let base: AuthorizationStatus?
  let isConfigured: Bool
  let purposes: [String: String]?
  let interval: Duration
  let usesInotify: Bool
  /// The watch of a process that decides for many; `nil` makes one.
  private let sharedWatch: SharedFolderWatch?
  let clock: any Clock<Duration>
  let elapsed: @Sendable () -> Duration
  let now: @Sendable () -> BoardTime
  let report: @Sendable (String) -> Void
  let jobs: SerialJobs
  let audit: AuditQueue
  private let mostNotes: Int
  /// Bounds the lines of many clients; `nil` where all lines are of one.
  let useLog: UseLogLimit?
  let state: Mutex<State>
  let listeners = Mutex(Listeners())

  /// Makes the policy of this process; reads the files.
  ///
  /// - Parameters:
  ///   - client: Who asks; by default this process by its evidence.
  ///   - places: Where the files are.
  ///   - base: What holds while nobody has ever said anything about the client, as for a command
  ///     that a person runs in a shell; `nil` has to be asked for. While it holds nothing is logged.
  ///   - fullAccuracyPurposes: What full accuracy for a while may be asked for: a key each, and
  ///     words for whoever decides. Any other key is refused at once, as in Core Location. With
  ///     `nil` every key may be, and stands for itself.
  ///   - interval: How often the files are looked at though the kernel tells of no change.
  ///   - usesInotify: Whether the kernel is asked to tell. Where it is not or cannot, the files are
  ///     looked at twice a second.
  ///   - clock: What the interval is measured by.
  ///   - now: Tells the time, for grants that run out.
  ///   - report: Takes lines for whoever runs the board: requests that wait, with the command that
  ///     answers them, and files that cannot be read. By default they go to standard error.
  public convenience init(
    client: ClientIdentity = ProcessEvidence().ownIdentity(), places: PolicyPlaces = PolicyPlaces(),
    base: AuthorizationStatus? = nil, fullAccuracyPurposes: [String: String]? = nil,
    interval: Duration = .seconds(30),
    usesInotify: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> BoardTime = { BoardTime.now() },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    let own =
      ProcessEvidence().token(of: getpid())
      ?? ProcessToken(process: getpid(), startTicks: 0, boot: nil)
    self.init(
      client: client, process: own, places: places, base: base,
      fullAccuracyPurposes: fullAccuracyPurposes, interval: interval, usesInotify: usesInotify,
      clock: clock, now: now, report: report)
  }

  /// Makes the policy of some process; reads the files.
  ///
  /// With `sharedWatch`, `jobs` and `audit` the policies of many clients have one watch of the
  /// kernel, one thread and one queue of the log between them.
  init(
    client: ClientIdentity, process: ProcessToken, places: PolicyPlaces,
    base: AuthorizationStatus?, isConfigured: Bool = false,
    fullAccuracyPurposes: [String: String]? = nil,
    interval: Duration = .seconds(30), usesInotify: Bool = true,
    clock: any Clock<Duration> = ContinuousClock(), sharedWatch: SharedFolderWatch? = nil,
    jobs: SerialJobs = SerialJobs(), audit: AuditQueue? = nil, mostNotes: Int = 256,
    useLog: UseLogLimit? = nil,
    now: @escaping @Sendable () -> BoardTime, report: @escaping @Sendable (String) -> Void
  ) {
    self.client = client
    self.process = process
    self.places = places
    self.base = base
    self.isConfigured = isConfigured
    purposes = fullAccuracyPurposes
    self.interval = interval
    self.usesInotify = usesInotify
    self.sharedWatch = sharedWatch
    self.jobs = jobs
    self.audit = audit ?? AuditQueue(log: places.audit, maxLines: mostNotes)
    self.mostNotes = mostNotes
    self.useLog = useLog
    self.clock = clock
    elapsed = Self.reader(of: clock)
    self.now = now
    self.report = report
    let snapshot = PolicySnapshot(
      folders: places.folders, store: places.store, base: base, isConfigured: isConfigured)
    let session = PolicySession(
      client: client, process: process, evaluation: snapshot.evaluation, now: now())
    initialAuthorization = session.told
    isDeniedGlobally = session.isToldOff
    state = Mutex(
      State(snapshot: snapshot, session: session))
    state.withLock { reportProblems(&$0) }
  }

  /// The kernel's word on changes, for as long as it is held; `nil` where there is none.
  func listenToKernel(_ tell: @escaping @Sendable (FolderWatch.Event) -> Void) -> AnyObject? {
    guard usesInotify else { return nil }
    if let sharedWatch { return sharedWatch.listen(tell) }
    return FolderWatch(places.watched, tell: tell)
  }

  private static func reader(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  deinit {
    listeners.withLock { listeners in
      listeners.watching?.cancel()
      for continuation in listeners.continuations.values { continuation.finish() }
    }
    // Nobody waits for the answer any more.
    guard state.withLock({ $0.session.isWaiting }) else { return }
    jobs.add { [store = places.store, process] in
      _ = try? store.update { $0.withdraw(process) }
    }
  }

  /// What the client has been told last, and whether that is for the board's switch.
  ///
  /// Whoever listens to ``updates()`` before asking this misses nothing.
  package var toldAuthorization: (authorization: Authorization, isDeniedGlobally: Bool) {
    state.withLock { ($0.session.told, $0.session.isToldOff) }
  }

  /// Decides, however long an operator takes.
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: What holds from now on; not determined where the request lapsed or the task was
  ///   cancelled.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    let updates = updates()
    switch await answer(request, purpose: "none given") {
    case .decided(let authorization): return authorization
    case .pending: break
    }
    for await update in updates {
      switch update {
      case .decided(let authorization): return authorization
      case .deniedGlobally: return Authorization(.denied)
      case .refused, .lapsed: return state.withLock { $0.session.told }
      case .inUse, .fullAccuracyEnded, .mode: break
      }
    }
    return Authorization(.notDetermined)
  }

  /// Answers a request by what the files say now, or files it for an operator.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What for, in the program's words.
  /// - Returns: The decision, or that the request waits.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    await onThread { policy in
      policy.state.withLock { state in
        state.snapshot.read()
        policy.reportProblems(&state)
        policy.claimGrant(&state, asking: request)
        let (answer, effects) = state.session.ask(
          request, purpose: purpose, state.snapshot.evaluation, at: policy.now())
        policy.run(effects, &state)
        return answer
      }
    }
  }

  /// What holds for this program now, by files that are read for it.
  public func verdict(asking request: AuthorizationRequest) -> AuthorizationVerdict {
    PolicySnapshot(
      folders: places.folders, store: places.store, base: base, isConfigured: isConfigured
    ).evaluation
      .verdict(on: client, asking: request, at: now(), process: process)
  }

  /// Starts to listen to what changes: answered, revoked, run out, locked, switched off.
  ///
  /// Requests that wait are taken back with the last listener: nobody would hear the answer.
  ///
  /// - Returns: The updates, in order; a listener that is more than 64 behind misses the oldest.
  public func updates() -> AsyncStream<AuthorizationUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthorizationUpdate.self, bufferingPolicy: .bufferingNewest(64))
    let id = listeners.withLock { listeners in
      listeners.nextID &+= 1
      listeners.continuations[listeners.nextID] = continuation
      if listeners.watching == nil { listeners.watching = watch() }
      return listeners.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  /// Starts to listen to what holds, for those who need no more of ``updates()``.
  ///
  /// - Returns: What holds from each moment on.
  public func changes() -> AsyncStream<Authorization> {
    let updates = updates()
    let (changes, continuation) = AsyncStream.makeStream(
      of: Authorization.self, bufferingPolicy: .bufferingNewest(64))
    let forwarding = Task {
      for await update in updates {
        switch update {
        case .decided(let authorization): continuation.yield(authorization)
        case .deniedGlobally: continuation.yield(Authorization(.denied))
        case .refused, .lapsed, .inUse, .fullAccuracyEnded, .mode: break
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in forwarding.cancel() }
    return changes
  }

  /// Logs what the program does, and ends a grant that has served its once.
  public func note(_ use: ServiceUse) {
    // Kept until it is written: the last word of a manager comes as it goes.
    jobs.add(atMost: mostNotes) { self.state.withLock { self.note(use, &$0) } }
  }

  /// How much of what programs did is missing in the log, for coming faster than it is written: this
  /// one's, or all that whoever decides for many has noted.
  public var droppedNoteCount: UInt64 { jobs.refusedCount &+ audit.droppedCount }

  /// Waits until what was noted has been written, or the log's lock has been held for too long.
  public func flush() async {
    await onThread { _ in }
    await audit.flush()
  }

  /// Writes a line to standard error.
  public static func reportToStandardError(_ line: String) {
    var bytes = Array("fixcast: \(line)\n".utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  func tell(_ update: AuthorizationUpdate) {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) {
      continuation.yield(update)
    }
  }

  func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (PolicyFiles) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      jobs.add { continuation.resume(returning: body(self)) }
    }
  }
}
