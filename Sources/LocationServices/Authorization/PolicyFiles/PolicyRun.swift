// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// A session on the files of the board: reads them, writes what the session files and takes back,
/// logs and reports.
///
/// No lock and no thread. ``PolicyFiles`` runs it.
struct PolicyRun {
  /// What the caller hands out.
  enum Output {
    case update(AuthorizationUpdate)
    /// Answers all who wait for full accuracy for the purpose.
    case fullAccuracy(String, FullAccuracyAnswer)
  }

  private let places: PolicyPaths
  private let purposes: [String: String]?
  private let audit: AuditQueue
  private let useLog: UseLogLimit?
  private let now: @Sendable () -> BootTimestamp
  private let report: @Sendable (String) -> Void
  private(set) var snapshot: PolicySnapshot
  private(set) var session: PolicySession
  private var outputs: [Output] = []
  /// What cannot be read, as it was reported last, so that it is reported once.
  private var problems: [String] = []
  private let failures: FailureReports
  /// Requests whose command has been reported.
  private var reported: Set<AuthorizationRequest> = []
  private var use = UseSession()

  init(
    client: ClientIdentity, process: ProcessToken, places: PolicyPaths,
    base: AuthorizationStatus?, isConfigured: Bool, purposes: [String: String]?,
    audit: AuditQueue, useLog: UseLogLimit?, now: @escaping @Sendable () -> BootTimestamp,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.places = places
    self.purposes = purposes
    self.audit = audit
    self.useLog = useLog
    self.now = now
    self.report = report
    failures = FailureReports(report)
    snapshot = PolicySnapshot(
      folders: places.folders, store: places.store, base: base, isConfigured: isConfigured)
    session = PolicySession(
      client: client, process: process, evaluation: snapshot.evaluation, now: now())
    reportProblems()
  }

  /// What has happened since this was called last, in order.
  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }

  // MARK: Events

  mutating func answer(_ request: AuthorizationRequest, purpose: String) -> AuthorizationAnswer {
    snapshot.read()
    reportProblems()
    claimGrant(asking: request)
    let (answer, effects) = session.ask(
      request, purpose: purpose, snapshot.evaluation, at: now())
    run(effects)
    return answer
  }

  mutating func askFullAccuracy(_ purposeKey: String) {
    snapshot.read()
    reportProblems()
    follow()
    run(session.askFullAccuracy(purposeKey, snapshot.evaluation, at: now()))
  }

  mutating func abandonFullAccuracy(_ purposeKey: String) {
    run(session.abandonFullAccuracy(purposeKey))
  }

  mutating func abandon() { run(session.abandon()) }

  /// Looks at the files; false where they have to be looked at again once they have settled.
  mutating func look(at elapsed: Duration) -> Bool {
    let isSettled = snapshot.readChanged(at: elapsed)
    reportProblems()
    claimGrant()
    follow()
    return isSettled
  }

  /// Seconds until what holds or waits may be another, though no file changes.
  var secondsToDeadline: Int64? { session.secondsToDeadline(snapshot.evaluation, at: now()) }

  mutating func note(_ use: ServiceUse) {
    let isServed = self.use.take(use)
    var event: AuditEvent
    switch use {
    case .started(let service):
      event = session.event(.started, now())
      event.service = service
    case .firstLocation(let service):
      event = session.event(.firstFix, now())
      event.service = service
    case .stopped(let service, let count):
      event = session.event(.stopped, now())
      event.service = service
      event.locationCount = count
      if isServed, let id = session.oneTimeGrantID {
        write { [process = session.process] in $0.useUp(id, by: process) }
        // Before the program can ask for another location.
        follow()
      }
    case .activityBegan(let reason):
      event = session.event(.activityBegan, now())
      event.reason = reason
    case .activityEnded: event = session.event(.activityEnded, now())
    }
    log(event)
  }

  private mutating func follow() {
    snapshot.readChangedAnswers()
    run(session.follow(snapshot.evaluation, at: now()))
  }

  /// Takes a grant that serves once, where this program asks and no other has taken it.
  ///
  /// The store decides, under its lock and before anything is granted: of two programs that ask at
  /// once one gets it, and one that ends before it was served leaves nothing behind to be used
  /// twice.
  private mutating func claimGrant(asking request: AuthorizationRequest? = nil) {
    let grant = session.grantToClaim(asking: request, snapshot.evaluation, at: now())
    guard let grant else { return }
    write { [process = session.process, time = now()] ledger in
      ledger.prune(at: time)
      return ledger.claim(grant, by: process)
    }
    snapshot.readChangedAnswers()
  }

  // MARK: Effects

  private mutating func run(_ effects: [PolicySession.Effect]) {
    let process = session.process
    for effect in effects {
      switch effect {
      case .tell(let update): outputs.append(.update(update))
      case .file(let request, let purpose):
        guard let pending = file(request, purpose: purpose) else { continue }
        session.filed(request)
        guard reported.insert(request).inserted else { continue }
        report(pending, "asks to know where the board is \(pending.summary)")
      case .withdraw:
        reported = []
        write { $0.withdraw(process) { $0.fullAccuracyPurposeKey == nil } }
      case .fileFullAccuracy(let key):
        let purpose = purposes?[key] ?? key
        guard let pending = file(.whenInUse, purpose: purpose, fullAccuracyPurposeKey: key) else {
          continue
        }
        session.filedFullAccuracy(key)
        report(pending, "asks for \(pending.summary)")
      case .withdrawFullAccuracy(let key):
        let key = DecisionLedger.cut(key)
        write { $0.withdraw(process) { $0.fullAccuracyPurposeKey == key } }
      case .answerFullAccuracy(let key, let answer): outputs.append(.fullAccuracy(key, answer))
      case .refuse(let reason): refuse(reason)
      case .audit(let event): log(event)
      }
    }
  }

  /// Files a request; `nil` where it cannot be written, or where too many wait, which is reported.
  private func file(
    _ request: AuthorizationRequest, purpose: String, fullAccuracyPurposeKey key: String? = nil
  ) -> PendingRequest? {
    let filed = write { [session, time = now()] ledger in
      ledger.prune(at: time)
      return ledger.file(
        request, of: session.client, purpose: purpose, fullAccuracyPurposeKey: key,
        process: session.process, at: time)
    }
    if let filed, filed == nil {
      failures.report("too many requests wait already; see: fixcast auth pending")
    }
    return filed ?? nil
  }

  private func report(_ pending: PendingRequest, _ what: String) {
    // What to run comes before anything that the program has a say in.
    report(
      "grant it with: \(places.command(pending.answer)), or see: "
        + places.command(["fixcast", "auth", "pending"]) + "; \(session.client.evidence) \(what), "
        + "in its own words for: \(ProgramWords.quoted(pending.purpose))")
  }

  /// Records the refusal that a rule gives in place of an operator's answer.
  private mutating func refuse(_ reason: String) {
    let decision = Decision(
      selector: session.client.evidence, level: .denied, created: now(), grantedBy: nil,
      reason: reason)
    let recorded = write { $0.record(decision) }
    if (recorded ?? nil) == nil { outputs.append(.update(.lapsed(.whenInUse))) }
  }

  /// Changes the answers; `nil` where that failed, which is reported once until it works again.
  @discardableResult
  private func write<Value>(_ change: (inout DecisionLedger) -> Value) -> Value? {
    do {
      let value = try places.store.update(change)
      failures.clear()
      return value
    } catch {
      failures.report("requests and grants cannot be written: \(error)")
      return nil
    }
  }

  private func log(_ event: AuditEvent) {
    // Whoever asks for themselves, unanswered, needs no log, and may have no right to write it.
    if session.isUnspoken { return }
    var event = event
    if let useLog, !event.isDecision {
      guard let omitted = useLog.take(session.client, at: now()) else { return }
      event.omittedCount = omitted
    }
    let unwritten = { @Sendable [failures] (error: DecisionStoreError) in
      failures.report("the log of authorization cannot be written: \(error)")
    }
    do { try audit.append(event, failed: unwritten) } catch { unwritten(error) }
  }

  /// Reports what cannot be read, once.
  private mutating func reportProblems() {
    var problems = snapshot.evaluation.rules.problems.map(\.description)
    if case .failure(let error) = snapshot.evaluation.ledger { problems.append(error.description) }
    for problem in problems where !self.problems.contains(problem) {
      report("\(problem); until that is mended nobody may know where the board is")
    }
    self.problems = problems
  }

  /// Reports what cannot be written, each failure once until a write works again.
  private final class FailureReports: Sendable {
    private let reported = Mutex<Set<String>>([])
    private let take: @Sendable (String) -> Void

    init(_ take: @escaping @Sendable (String) -> Void) { self.take = take }

    func report(_ failure: String) {
      if reported.withLock({ $0.insert(failure).inserted }) { take(failure) }
    }

    func clear() { reported.withLock { $0 = [] } }
  }
}
