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
    var run: PolicyRun
    fileprivate var waiters: [UInt64: Waiter] = [:]
    fileprivate var waiterCount: UInt64 = 0
    /// Waiters that gave up before they began to wait.
    fileprivate var cancelled: Set<UInt64> = []
    /// How often the files were looked at.
    var lookCount: UInt64 = 0
  }

  /// A task that waits for an answer to a request for full accuracy.
  fileprivate struct Waiter {
    var purposeKey: String
    var continuation: CheckedContinuation<FullAccuracyAnswer, Never>
  }

  private struct Listeners {
    var nextID: UInt64 = 0
    var takes: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
    var watching: Task<Void, Never>?
  }

  /// How often files are looked at where the kernel tells of no changes.
  private static let pollInterval: Duration = .milliseconds(500)
  /// The same where something ends within a second: its end is known to the second only.
  private static let endInterval: Duration = .milliseconds(50)
  /// The same where something cannot be read for a reason that may pass: nobody may know meanwhile.
  private static let retryInterval: Duration = .seconds(1)

  /// Who asks.
  public let client: ClientIdentity
  /// What held when the policy was made; what came since comes as an update.
  public let initialAuthorization: Authorization
  /// Whether the switch for the whole board was off when the policy was made.
  public let isDeniedGlobally: Bool

  let process: ProcessToken
  let places: PolicyPaths
  private let purposes: [String: String]?
  private let interval: Duration
  private let listenToKernel:
    @Sendable (@escaping @Sendable (FolderWatch.Event) -> Void) -> AnyObject?
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> MonotonicTime
  private let now: @Sendable () -> BootTimestamp
  private let jobs: SerialWorkQueue
  private let audit: AuditQueue
  private let maxNotes: Int
  let state: Mutex<State>
  private let listeners = Mutex(Listeners())

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
    client: ClientIdentity = ProcessEvidence().ownIdentity(), places: PolicyPaths = PolicyPaths(),
    base: AuthorizationStatus? = nil, fullAccuracyPurposes: [String: String]? = nil,
    interval: Duration = .seconds(30),
    usesInotify: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    self.init(
      client: client, process: ProcessEvidence().ownToken(), places: places, base: base,
      fullAccuracyPurposes: fullAccuracyPurposes, interval: interval, usesInotify: usesInotify,
      clock: clock, now: now, report: report)
  }

  /// Makes the policy of this process, which does what it was configured to.
  ///
  /// It may know while nobody says anything against it, and is not waited for because of a rule that
  /// has an operator asked about everyone: whoever wrote the configuration has answered that. The
  /// switch for the whole board, and whatever is said of its user or unit, goes for it too.
  package convenience init(
    configured client: ClientIdentity = ProcessEvidence().ownIdentity(), places: PolicyPaths
  ) {
    self.init(
      client: client, process: ProcessEvidence().ownToken(), places: places,
      base: .authorizedAlways, isConfigured: true, now: { BootTimestamp.now() },
      report: { PolicyFiles.reportToStandardError($0) })
  }

  /// Makes the policy of some process; reads the files.
  ///
  /// With `sharedWatch`, `jobs` and `audit` the policies of many clients have one watch of the
  /// kernel, one thread and one queue of the log between them.
  init(
    client: ClientIdentity, process: ProcessToken, places: PolicyPaths,
    base: AuthorizationStatus?, isConfigured: Bool = false,
    fullAccuracyPurposes: [String: String]? = nil,
    interval: Duration = .seconds(30), usesInotify: Bool = true,
    clock: any Clock<Duration> = ContinuousClock(), sharedWatch: SharedFolderWatch? = nil,
    jobs: SerialWorkQueue = SerialWorkQueue(), audit: AuditQueue? = nil, maxNotes: Int = 256,
    useLog: UseLogLimit? = nil,
    now: @escaping @Sendable () -> BootTimestamp, report: @escaping @Sendable (String) -> Void
  ) {
    self.client = client
    self.process = process
    self.places = places
    purposes = fullAccuracyPurposes
    self.interval = interval
    listenToKernel = { tell in
      if !usesInotify { return nil }
      if let sharedWatch { return sharedWatch.listen(tell) }
      return FolderWatch(places.watched, tell: tell)
    }
    self.jobs = jobs
    self.audit = audit ?? AuditQueue(log: places.audit, maxLines: maxNotes)
    self.maxNotes = maxNotes
    self.clock = clock
    elapsed = clock.readings()
    self.now = now
    let run = PolicyRun(
      client: client, process: process, places: places, base: base, isConfigured: isConfigured,
      purposes: fullAccuracyPurposes, audit: self.audit, useLog: useLog, now: now, report: report)
    initialAuthorization = run.session.told
    isDeniedGlobally = run.session.isGloballyDenied
    state = Mutex(State(run: run))
  }

  deinit {
    listeners.withLock { $0.watching?.cancel() }
    // Nobody waits for the answer any more.
    guard state.withLock({ $0.run.session.isWaiting }) else { return }
    jobs.add { [store = places.store, process] in
      _ = try? store.update { $0.withdraw(process) }
    }
  }

  // MARK: Asking

  /// Answers a request by what the files say now, or files it for an operator.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    await onThread { $0.perform { $0.run.answer(request, purpose: purpose) } }
  }

  /// Asks an operator for full accuracy for a while, and waits for the answer.
  ///
  /// It is filed like any request, and answered with `fixcast auth allow WHO --full --for 10m`.
  ///
  /// - Parameter purposeKey: What for, by one of the keys that the policy was given.
  /// - Returns: For how long; or that it was refused, that nobody answered within the time that a
  ///   rule allows, or that the task was cancelled.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let isKnown = purposes.map { $0[purposeKey] != nil } ?? purposeKey.contains { !$0.isWhitespace }
    guard isKnown else { return .unknownPurpose }
    // The files are looked at while somebody listens.
    let listening = listen { _ in }
    defer { listening.end() }
    let id = state.withLock { state in
      state.waiterCount &+= 1
      return state.waiterCount
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        jobs.add {
          let waits = self.state.withLock { state in
            if state.cancelled.remove(id) != nil { return false }
            state.waiters[id] = Waiter(purposeKey: purposeKey, continuation: continuation)
            return true
          }
          guard waits else { return continuation.resume(returning: .declined) }
          self.perform { $0.run.askFullAccuracy(purposeKey) }
        }
      }
    } onCancel: {
      jobs.add { self.abandonFullAccuracy(id) }
    }
  }

  private func abandonFullAccuracy(_ id: UInt64) {
    let waiter = perform { state in
      guard let waiter = state.waiters.removeValue(forKey: id) else {
        state.cancelled.insert(id)
        return Waiter?.none
      }
      if !state.waiters.values.contains(where: { $0.purposeKey == waiter.purposeKey }) {
        state.run.abandonFullAccuracy(waiter.purposeKey)
      }
      return waiter
    }
    waiter?.continuation.resume(returning: .declined)
  }

  /// What holds for this program now, by files that are read for it.
  package func verdict(asking request: AuthorizationRequest) -> AuthorizationVerdict {
    var snapshot = state.withLock { $0.run.snapshot }
    snapshot.read()
    return snapshot.evaluation.verdict(on: client, asking: request, at: now(), process: process)
  }

  // MARK: What holds

  /// What the client was told last; `nil` while the files are looked at, for which nobody is to wait.
  package var standing: AuthorizationVerdict? {
    state.withLockIfAvailable { $0.run.session.standing }
  }

  /// What the client was told last, for callers that listen already and so miss nothing.
  package var told: AuthorizationVerdict { state.withLock { $0.run.session.standing } }

  /// Requests of this client that an operator would be asked about now.
  package var operatorRequests: OperatorRequests {
    state.withLock { $0.run.session.operatorRequests($0.run.snapshot.evaluation, at: now()) }
  }

  // MARK: Listening

  /// Starts to call back with what changes: answered, revoked, run out, locked, switched off.
  ///
  /// Requests that wait are taken back with the last listener: nobody would hear the answer.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    let id = listeners.withLock { listeners in
      listeners.nextID &+= 1
      listeners.takes[listeners.nextID] = take
      if listeners.watching == nil { listeners.watching = watch() }
      return listeners.nextID
    }
    return PolicyListening { [weak self] in self?.forget(id) }
  }

  private func forget(_ id: UInt64) {
    let isLast = listeners.withLock { listeners in
      listeners.takes[id] = nil
      guard listeners.takes.isEmpty else { return false }
      listeners.watching?.cancel()
      listeners.watching = nil
      return true
    }
    guard isLast else { return }
    jobs.add {
      guard self.listeners.withLock({ $0.takes.isEmpty }) else { return }
      self.perform { $0.run.abandon() }
    }
  }

  /// Looks at the files when they change, and when something ends by itself.
  private func watch() -> Task<Void, Never> {
    let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    waker.yield()
    return Task { [weak self, clock] in
      let isTold = Flag()
      let kernel = self?.listenToKernel { event in
        if case .ended = event { isTold.clear() }
        waker.yield()
      }
      if kernel == nil { isTold.clear() }
      var timer: Task<Void, Never>?
      defer { timer?.cancel() }
      for await _ in wakes {
        guard let pause = await self?.onThread({ $0.look(isTold: isTold.isSet) }) else { return }
        timer?.cancel()
        timer = Task { if (try? await clock.sleep(for: pause)) != nil { waker.yield() } }
      }
      withExtendedLifetime(kernel) {}
    }
  }

  /// Whether the kernel tells of changes; until it ends.
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(true)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
  }

  /// Looks at the files; gives how long the next look may wait.
  private func look(isTold: Bool) -> Duration {
    let elapsed = Duration.nanoseconds(elapsed().nanoseconds)
    return perform { state in
      state.lookCount &+= 1
      let isSettled = state.run.look(at: elapsed)
      var pause = interval
      if !isTold || state.run.snapshot.hasLinks { pause = min(pause, Self.pollInterval) }
      if state.run.snapshot.isUnread { pause = min(pause, Self.retryInterval) }
      if !isSettled { pause = min(pause, PolicySnapshot.settling) }
      if let left = state.run.secondsToDeadline {
        pause = min(pause, left > 1 ? .seconds(left - 1) : Self.endInterval)
      }
      return pause
    }
  }

  // MARK: Noting

  /// Logs what the program does, and ends a grant that has served its once.
  public func note(_ use: ServiceUse) {
    // Kept until it is written: the last word of a manager comes as it goes.
    jobs.add(atMost: maxNotes) { self.perform { $0.run.note(use) } }
  }

  /// Lines that are missing in the log because they came faster than they are written: this
  /// policy's, or those of all clients whose policies share a queue.
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

  // MARK: Running

  /// Changes the state, then hands out what follows, without the lock.
  ///
  /// Called on the thread of the jobs, so that what follows is handed out in order.
  private func perform<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, outputs) = state.withLock { state in
      let value = change(&state)
      return (value, state.run.takeOutputs())
    }
    for output in outputs {
      switch output {
      case .update(let update):
        for take in listeners.withLock({ Array($0.takes.values) }) { take(update) }
      case .fullAccuracy(let key, let answer):
        let answered = state.withLock { state in
          let answered = state.waiters.filter { $0.value.purposeKey == key }
          for id in answered.keys { state.waiters[id] = nil }
          return answered.values.map(\.continuation)
        }
        for continuation in answered { continuation.resume(returning: answer) }
      }
    }
    return value
  }

  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (PolicyFiles) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      jobs.add { continuation.resume(returning: body(self)) }
    }
  }
}
