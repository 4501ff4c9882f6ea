// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Synchronization
package import SystemSupport

/// The policy files of a board, as read and written by the policies of this process.
///
/// All policies with the same store share one file watch, one timer, one thread and one log queue.
/// While a policy follows the store, a change of the files is read once, and each policy is
/// evaluated again. `fixcast auth` and the policies of other processes use the same files.
package final class PolicyStore: Sendable {
  /// Called on the thread of the store after each check of the files.
  ///
  /// The argument is whether rules or decisions have changed. Returns the seconds until the follower
  /// needs a check without a change, such as at the expiry of a grant.
  package typealias Follower = @Sendable (_ isChanged: Bool) -> Int64?

  private struct State {
    var followers: [UInt64: Follower] = [:]
    var followerCount: UInt64 = 0
    var kernel: FolderWatch?
    /// False after the kernel's watch has failed, until the last follower leaves.
    var doesKernelReport = true
    var timer: Task<Void, Never>?
    var isCheckQueued = false
    var checkCount: UInt64 = 0
    /// The version that the followers know.
    var version: UInt64 = 0
    /// The current problems, which have been reported and are not reported again.
    var problems: [String] = []
  }

  /// The check interval if the kernel does not report changes.
  private static let pollInterval: Duration = .milliseconds(500)
  /// The check interval in the last second before an expiry; expiry times are whole seconds.
  private static let endInterval: Duration = .milliseconds(50)
  /// The check interval during a temporary read error, because access is restricted meanwhile.
  private static let retryInterval: Duration = .seconds(1)

  package let places: PolicyPaths
  /// The reduced-accuracy cell of all clients.
  package let reducedCell: ReducedCell
  let maxNotes: Int
  let now: @Sendable () -> BootTimestamp
  let report: @Sendable (String) -> Void
  private let interval: Duration
  private let usesInotify: Bool
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> MonotonicTime
  private let jobs = SerialWorkQueue()
  private let audit: AuditQueue
  private let useLog: UseLogLimit?
  /// The failures reported since the last successful write.
  private let failures = Mutex<Set<String>>([])
  private let snapshot: Mutex<PolicySnapshot>
  private let state = Mutex(State())

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - places: The paths of the files.
  ///   - interval: The check interval while the kernel reports changes.
  ///   - usesInotify: Whether the kernel is asked to report changes.
  ///   - clock: The clock for the check intervals.
  ///   - maxNotes: The maximum number of uses that wait to be written.
  ///   - useLog: Limits the lines about each client; `nil` for no limit.
  ///   - files: Reads the files.
  ///   - now: Returns the current time, for grants that expire.
  ///   - report: Receives log lines for the operator.
  init(
    places: PolicyPaths, interval: Duration = .seconds(30), usesInotify: Bool = true,
    clock: any Clock<Duration> = ContinuousClock(), maxNotes: Int = 256,
    useLog: UseLogLimit? = nil, files: PolicySnapshot.Files = PolicySnapshot.Files(),
    now: @escaping @Sendable () -> BootTimestamp, report: @escaping @Sendable (String) -> Void
  ) {
    self.places = places
    reducedCell = places.reducedCell
    self.interval = interval
    self.usesInotify = usesInotify
    self.clock = clock
    self.maxNotes = maxNotes
    self.useLog = useLog
    self.now = now
    self.report = report
    elapsed = clock.readings()
    audit = AuditQueue(log: places.audit, maxLines: maxNotes)
    snapshot = Mutex(
      PolicySnapshot(folders: places.folders, store: places.store, files: files))
    reportProblems()
  }

  /// Creates the store of a daemon, which enforces the policy for its clients, and reads the files.
  package convenience init(
    enforcing places: PolicyPaths,
    now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() },
    report: @escaping @Sendable (String) -> Void
  ) {
    var places = places
    places.isEnforced = true
    // A client can cause the same failure again and again; each line is passed on at most once a
    // minute.
    let lines = Mutex(RateLimit<String>(burst: 1, perSecond: 1.0 / 60))
    self.init(
      places: places, maxNotes: 8192, useLog: UseLogLimit(), now: now,
      report: { line in
        let time = MonotonicTime(nanoseconds: now().bootSeconds &* 1_000_000_000)
        if lines.withLock({ $0.take(from: line, at: time) }) { report(line) }
      })
    jobs.add { [store = self.places.store] in store.reserveRoom() }
  }

  deinit { state.withLock { $0.timer?.cancel() } }

  /// Runs blocking work on the thread of the store, in order.
  ///
  /// - Returns: Whether the work was added; false if `limit` jobs wait.
  @discardableResult
  func perform(atMost limit: Int? = nil, _ job: @escaping @Sendable () -> Void) -> Bool {
    jobs.add(atMost: limit, job)
  }

  /// Reads the files for a client, after all queued reads and writes.
  ///
  /// `base` is the authorization of a client without any decision so far; if it is `nil`, the
  /// client has to request authorization. `take` is called on another thread.
  package func open(
    _ client: ClientIdentity, process: ProcessToken, base: AuthorizationStatus?,
    _ take: @escaping @Sendable (PolicyFiles) -> Void
  ) {
    jobs.add { [self] in
      take(
        PolicyFiles(
          client: client, process: process, store: self, base: base, unsettledRules: read()))
    }
  }

  // MARK: Reading

  /// The rules and decisions as last read, and the number of reads of the rules.
  var current: (evaluation: AuthorizationEvaluation, ruleReads: UInt64) {
    snapshot.withLock { ($0.evaluation, $0.ruleReads) }
  }

  /// Reads all files now, for a client that makes a request.
  ///
  /// - Returns: The rules, if their files have changed and not yet stayed unchanged for
  ///   ``PolicySnapshot/settling``. They apply to the client, but not yet to other clients.
  func read() -> PolicySnapshot.UnsettledRules? {
    let unsettled = snapshot.withLock { $0.read() }
    reportProblems(of: unsettled?.rules)
    // The next check ends these rules, also if the files change back.
    if unsettled != nil { requestCheck() }
    return unsettled
  }

  /// Reads the decisions again if they have changed.
  func readChangedDecisions() { snapshot.withLock { $0.readChangedDecisions() } }

  /// Reports each problem once; `unsettled` are rules that a client already uses.
  private func reportProblems(of unsettled: PolicyRules? = nil) {
    let evaluation = current.evaluation
    var problems = (unsettled ?? evaluation.rules).problems.map(\.description)
    if case .failure(let error) = evaluation.ledger { problems.append(error.description) }
    let new = state.withLock { state in
      defer { state.problems = problems }
      return problems.filter { !state.problems.contains($0) }
    }
    for problem in new {
      report("\(problem); locations are restricted for all programs until this is fixed")
    }
  }

  // MARK: Following

  /// Calls `follower` after each check of the files, until the subscription ends.
  package func follow(_ follower: @escaping Follower) -> PolicyListening {
    let id = state.withLock { state in
      state.followerCount &+= 1
      state.followers[state.followerCount] = follower
      return state.followerCount
    }
    requestCheck()
    return PolicyListening { [weak self] in
      // Release the follower and the watch outside the lock: a deinitializer may call the store.
      let ended = self?.state.withLock { state -> (Follower?, FolderWatch?) in
        let follower = state.followers.removeValue(forKey: id)
        guard state.followers.isEmpty else { return (follower, nil) }
        state.timer?.cancel()
        (state.timer, state.doesKernelReport) = (nil, true)
        defer { state.kernel = nil }
        return (follower, state.kernel)
      }
      withExtendedLifetime(ended) {}
    }
  }

  /// The number of times the files were checked.
  var checkCount: UInt64 { state.withLock { $0.checkCount } }

  private func requestCheck() {
    let isFirst = state.withLock { state in
      defer { state.isCheckQueued = true }
      return !state.isCheckQueued
    }
    if isFirst { jobs.add { self.check() } }
  }

  private func check() {
    let (followers, hasKernel) = state.withLock { state in
      state.isCheckQueued = false
      return (Array(state.followers.values), state.kernel != nil)
    }
    guard !followers.isEmpty else { return }
    if !hasKernel { watchFolders() }
    let elapsed = Duration.nanoseconds(elapsed().nanoseconds)
    let (isSettled, snapshot) = snapshot.withLock { ($0.readChanged(at: elapsed), $0) }
    if isSettled { reportProblems() }
    let (isChanged, doesKernelReport) = state.withLock { state in
      state.checkCount &+= 1
      defer { state.version = snapshot.version }
      return (state.version != snapshot.version, state.doesKernelReport && state.kernel != nil)
    }
    var pause = interval
    if !doesKernelReport || snapshot.hasLinks { pause = min(pause, Self.pollInterval) }
    if snapshot.hasTemporaryReadError { pause = min(pause, Self.retryInterval) }
    if !isSettled { pause = min(pause, PolicySnapshot.settling) }
    for follower in followers {
      guard let left = follower(isChanged) else { continue }
      pause = min(pause, left > 1 ? .seconds(left - 1) : Self.endInterval)
    }
    setTimer(pause)
  }

  private func setTimer(_ pause: Duration) {
    state.withLock { state in
      state.timer?.cancel()
      guard !state.followers.isEmpty else { return state.timer = nil }
      state.timer = Task { [weak self, clock] in
        if (try? await clock.sleep(for: pause)) != nil { self?.requestCheck() }
      }
    }
  }

  /// Asks the kernel to report changes, unless its watch has failed.
  private func watchFolders() {
    guard usesInotify, state.withLock({ $0.doesKernelReport }) else { return }
    let watch = FolderWatch(places.watched) { [weak self] event in
      if case .ended = event { self?.state.withLock { $0.doesKernelReport = false } }
      self?.requestCheck()
    }
    state.withLock { if !$0.followers.isEmpty { $0.kernel = watch } }
  }

  // MARK: Writing

  /// Changes the decisions; returns `nil` after a failure.
  ///
  /// A failure is reported once, and again only after a write has succeeded.
  @discardableResult
  func update<Value>(_ change: (inout DecisionLedger) -> Value) -> Value? {
    do {
      let value = try places.store.update(change)
      failures.withLock { $0 = [] }
      return value
    } catch {
      reportFailure("requests and grants cannot be written: \(error)")
      return nil
    }
  }

  /// Reports a failure to write, unless it was reported since the last successful write.
  func reportFailure(_ failure: String) {
    if failures.withLock({ $0.insert(failure).inserted }) { report(failure) }
  }

  /// Appends a line about a client to the log; lines of uses may be limited.
  func log(_ event: AuditEvent, about client: ClientIdentity) {
    var event = event
    if let useLog, !event.isDecision {
      guard let omitted = useLog.take(client, at: now()) else { return }
      event.omittedCount = omitted
    }
    append(event) { [weak self] in self?.reportFailure($0) }
  }

  private func append(
    _ event: AuditEvent, reportFailure: @escaping @Sendable (String) -> Void
  ) {
    let failed: AuditQueue.Failure = { error in
      reportFailure("cannot write the authorization log: \(error)")
    }
    do throws(DecisionStoreError) { try audit.append(event, failed: failed) } catch {
      failed(error)
    }
  }

  /// The number of log lines dropped because they arrived faster than they could be written.
  package var droppedNoteCount: UInt64 { jobs.refusedCount &+ audit.droppedCount }

  /// Waits until all noted uses are written, or until the wait for the log's lock times out.
  package func flush() async {
    await withCheckedContinuation { continuation in jobs.add { continuation.resume() } }
    await audit.flush()
  }

  // MARK: Requests that wait for an operator

  /// Reads the requests that wait, after all queued reads and writes; returns at once.
  ///
  /// `begin` is called when the read begins. `take` gets no requests if the file cannot be read.
  package func readPending(
    begin: @escaping @Sendable () -> Void = {},
    _ take: @escaping @Sendable ([PendingRequest]) -> Void
  ) {
    jobs.add { [places, now] in
      begin()
      var ledger = try? places.store.read()
      // Omits requests of programs that have ended.
      ledger?.prune(at: now())
      take(ledger?.pending ?? [])
    }
  }

  /// Records an operator's answer and writes it to the audit log; returns at once.
  ///
  /// `take` gets the reason if the answer was not recorded.
  package func record(
    _ answer: OperatorAnswer, _ take: @escaping @Sendable (OperatorAnswer.Failure?) -> Void
  ) {
    jobs.add { [self] in
      let time = now()
      let evaluation = places.evaluation()
      do throws(DecisionStoreError) {
        let result = try places.store.update { ledger in
          ledger.prune(at: time)
          return answer.record(in: &ledger, at: time) { selector in
            evaluation.obstacle(to: selector, at: time)
          }
        }
        switch result {
        case .failure(let failure): take(failure)
        case .success(let event):
          append(event, reportFailure: report)
          take(nil)
        }
      } catch {
        take(.store(error))
      }
    }
  }

  /// Writes the reduced-accuracy cell if it has changed; returns at once.
  package func saveReducedCell() {
    if reducedCell.isUnsaved { jobs.add { [reducedCell] in reducedCell.save() } }
  }
}

extension AuthorizationEvaluation {
  /// Returns why an answer for a selector has no effect; `nil` if it has one.
  fileprivate func obstacle(to selector: ClientSelector, at now: BootTimestamp) -> String? {
    let client = ClientIdentity(
      userID: selector.userID ?? .max, systemUnit: selector.systemUnit)
    switch verdict(on: client, asking: nil, at: now).origin {
    case .lock(let rule): return "\(selector) is locked by \(rule.place)"
    case .brokenPolicy(let problem): return "\(problem)"
    case .brokenStore(let error): return "\(error)"
    case .switchedOff, .decision, .rule, .undecided: return nil
    }
  }
}
