// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Applies a policy session to the board's files: reads and writes them, logs events, and reports
/// problems.
///
/// A run has no lock and no thread; ``PolicyFiles`` provides both.
struct PolicyRun {
  /// An output that the caller delivers.
  enum Output {
    case update(AuthorizationUpdate)
    /// Answers all pending full-accuracy requests with this purpose.
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
  /// The current problems, which have been reported and are not reported again.
  private var problems: [String] = []
  private let failures: FailureReports
  /// The requests for which the command that grants them has been reported.
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

  /// Returns the outputs since the last call, in order.
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

  /// Checks the files; returns false if they must be checked again after they have settled.
  mutating func checkFiles(at elapsed: Duration) -> Bool {
    let isSettled = snapshot.readChanged(at: elapsed)
    reportProblems()
    claimGrant()
    follow()
    return isSettled
  }

  /// Seconds until the authorization or a pending request may change without a change of files.
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
        // Evaluate again at once, before the program can request another location.
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

  /// Claims a one-time grant for this program, if there is an unclaimed one.
  ///
  /// The store is locked during the claim, so only one of two concurrent programs gets the grant.
  /// The claim precedes the grant, so a program that ends early has used up the grant.
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
      case .notify(let update): outputs.append(.update(update))
      case .file(let request, let purpose):
        guard let (pending, isNew) = file(request, purpose: purpose) else { continue }
        session.filed(request)
        guard reported.insert(request).inserted, isNew else { continue }
        report(pending, "requests locations \(pending.summary)")
      case .withdraw:
        reported = []
        write { $0.withdraw(process) { $0.fullAccuracyPurposeKey == nil } }
      case .fileFullAccuracy(let key):
        let purpose = purposes?[key] ?? key
        guard
          let (pending, isNew) = file(.whenInUse, purpose: purpose, fullAccuracyPurposeKey: key)
        else { continue }
        session.filedFullAccuracy(key)
        if isNew { report(pending, "requests \(pending.summary)") }
      case .withdrawFullAccuracy(let key):
        let key = DecisionLedger.truncated(key)
        write { $0.withdraw(process) { $0.fullAccuracyPurposeKey == key } }
      case .answerFullAccuracy(let key, let answer): outputs.append(.fullAccuracy(key, answer))
      case .refuse(let reason): refuse(reason)
      case .audit(let event): log(event)
      }
    }
  }

  /// Files a request; if the write fails or too many are pending, reports that and returns `nil`.
  ///
  /// `isNew` is false if a policy of this process has already filed the request for the process
  /// itself.
  private func file(
    _ request: AuthorizationRequest, purpose: String, fullAccuracyPurposeKey key: String? = nil
  ) -> (pending: PendingRequest, isNew: Bool)? {
    let filed = write { [session, time = now()] ledger -> (PendingRequest, Bool)? in
      ledger.prune(at: time)
      let pending = ledger.pending
      return ledger.file(
        request, of: session.client, purpose: purpose, fullAccuracyPurposeKey: key,
        process: session.process, at: time
      ).map { filed in
        let isKnown = pending.contains {
          $0.id == filed.id && $0.processes.contains(session.process)
        }
        let isOwn = session.process == ProcessEvidence().ownToken()
        return (filed, !(isKnown && isOwn))
      }
    }
    if let filed, filed == nil {
      failures.report("too many pending requests; see: fixcast auth pending")
    }
    return filed ?? nil
  }

  private func report(_ pending: PendingRequest, _ action: String) {
    // The command precedes any text that the program controls.
    report(
      "grant it with: \(places.command(pending.answer(places.words))), or see: "
        + places.command(["fixcast", "auth", "pending"])
        + "; \(places.text(session.client.evidence)) \(action), "
        + "stated purpose: \(UntrustedText.quoted(pending.purpose))")
  }

  /// Records the refusal that a rule prescribes if no operator answers in time.
  private mutating func refuse(_ reason: String) {
    let decision = Decision(
      selector: session.client.evidence, level: .denied, created: now(), grantedBy: nil,
      reason: reason)
    let recorded = write { $0.record(decision) }
    if (recorded ?? nil) == nil { outputs.append(.update(.lapsed(.whenInUse))) }
  }

  /// Changes the decisions; returns `nil` after a failure.
  ///
  /// A failure is reported once, and again only after a write has succeeded.
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
    // A program authorized by `base` alone needs no log, and may lack permission to write one.
    if session.isAuthorizedByBase { return }
    var event = event
    if let useLog, !event.isDecision {
      guard let omitted = useLog.take(session.client, at: now()) else { return }
      event.omittedCount = omitted
    }
    let reportFailure = { @Sendable [failures] (error: DecisionStoreError) in
      failures.report("cannot write the authorization log: \(error)")
    }
    do { try audit.append(event, failed: reportFailure) } catch { reportFailure(error) }
  }

  /// Reports each problem once.
  private mutating func reportProblems() {
    var problems = snapshot.evaluation.rules.problems.map(\.description)
    if case .failure(let error) = snapshot.evaluation.ledger { problems.append(error.description) }
    for problem in problems where !self.problems.contains(problem) {
      report("\(problem); locations are restricted for all programs until this is fixed")
    }
    self.problems = problems
  }

  /// Reports each write failure once, and again only after a write has succeeded.
  private final class FailureReports: Sendable {
    private let reported = Mutex<Set<String>>([])
    private let handler: @Sendable (String) -> Void

    init(_ handler: @escaping @Sendable (String) -> Void) { self.handler = handler }

    func report(_ failure: String) {
      if reported.withLock({ $0.insert(failure).inserted }) { handler(failure) }
    }

    func clear() { reported.withLock { $0 = [] } }
  }
}
