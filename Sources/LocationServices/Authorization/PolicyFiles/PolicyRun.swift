// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Applies the session of one client to the policy's files.
///
/// A run has no lock and no thread: ``PolicyFiles`` provides the lock, ``PolicyStore`` the thread.
struct PolicyRun {
  /// An output that the caller delivers.
  enum Output {
    case update(AuthorizationUpdate)
    /// Answers all pending full-accuracy requests with this purpose.
    case fullAccuracy(String, FullAccuracyAnswer)
  }

  private let store: PolicyStore
  private let purposes: [String: String]?
  /// The files as last read for this client.
  private(set) var evaluation: AuthorizationEvaluation
  /// Rules that have changed and were read for a request of this client, until the store reads
  /// them for all clients.
  private var unsettledRules: PolicySnapshot.UnsettledRules?
  private(set) var session: PolicySession
  private var outputs: [Output] = []
  /// The requests for which the command that grants them has been reported.
  private var reported: Set<AuthorizationRequest> = []
  private var use = UseSession()

  init(
    client: ClientIdentity, process: ProcessToken, store: PolicyStore, base: AuthorizationStatus?,
    isConfigured: Bool, purposes: [String: String]?, unsettledRules: PolicySnapshot.UnsettledRules?
  ) {
    self.store = store
    self.purposes = purposes
    let current = store.current
    evaluation = current.evaluation
    if let unsettledRules, unsettledRules.ruleReads == current.ruleReads {
      self.unsettledRules = unsettledRules
      evaluation.rules = unsettledRules.rules
    }
    evaluation.base = base
    evaluation.isConfigured = isConfigured
    session = PolicySession(
      client: client, process: process, evaluation: evaluation, now: store.now())
  }

  private func now() -> BootTimestamp { store.now() }

  /// Returns the outputs since the last call, in order.
  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }

  // MARK: Events

  mutating func answer(_ request: AuthorizationRequest, purpose: String) -> AuthorizationAnswer {
    readFiles()
    claimGrant(asking: request)
    let (answer, effects) = session.ask(request, purpose: purpose, evaluation, at: now())
    run(effects)
    return answer
  }

  mutating func askFullAccuracy(_ purposeKey: String) {
    readFiles()
    follow()
    run(session.askFullAccuracy(purposeKey, evaluation, at: now()))
  }

  mutating func abandonFullAccuracy(_ purposeKey: String) {
    run(session.abandonFullAccuracy(purposeKey))
  }

  mutating func abandon() { run(session.abandon()) }

  /// Applies the files after a check by the store.
  ///
  /// - Returns: The seconds until the authorization or a pending request may change without a
  ///   change of the files.
  mutating func followStore() -> Int64? {
    takeCurrent()
    claimGrant()
    follow()
    return session.secondsToDeadline(evaluation, at: now())
  }

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
        store.update { [process = session.process] in $0.useUp(id, by: process) }
        // Evaluate again at once, before the program can request another location.
        readDecisions()
        follow()
      }
    case .activityBegan(let reason):
      event = session.event(.activityBegan, now())
      event.reason = reason
    case .activityEnded: event = session.event(.activityEnded, now())
    }
    log(event)
  }

  /// Reads all files now, also rules that may still change.
  private mutating func readFiles() {
    unsettledRules = store.read()
    takeCurrent()
  }

  private mutating func takeCurrent() {
    let current = store.current
    if let own = unsettledRules, own.ruleReads != current.ruleReads { unsettledRules = nil }
    evaluation.rules = unsettledRules?.rules ?? current.evaluation.rules
    evaluation.ledger = current.evaluation.ledger
  }

  private mutating func readDecisions() {
    store.readChangedDecisions()
    takeCurrent()
  }

  private mutating func follow() { run(session.follow(evaluation, at: now())) }

  /// Claims a one-time grant for this program, if there is an unclaimed one.
  ///
  /// The store is locked during the claim, so only one of two concurrent programs gets the grant.
  /// The claim precedes the grant, so a program that ends early has used up the grant.
  private mutating func claimGrant(asking request: AuthorizationRequest? = nil) {
    let grant = session.grantToClaim(asking: request, evaluation, at: now())
    guard let grant else { return }
    store.update { [process = session.process, time = now()] ledger in
      ledger.prune(at: time)
      return ledger.claim(grant, by: process)
    }
    readDecisions()
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
        store.update { $0.withdraw(process) { $0.fullAccuracyPurposeKey == nil } }
      case .fileFullAccuracy(let key):
        let purpose = purposes?[key] ?? key
        guard
          let (pending, isNew) = file(.whenInUse, purpose: purpose, fullAccuracyPurposeKey: key)
        else { continue }
        session.filedFullAccuracy(key)
        if isNew { report(pending, "requests \(pending.summary)") }
      case .withdrawFullAccuracy(let key):
        let key = DecisionLedger.truncated(key)
        store.update { $0.withdraw(process) { $0.fullAccuracyPurposeKey == key } }
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
    let filed = store.update { [session, time = now()] ledger -> (PendingRequest, Bool)? in
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
      store.reportFailure("too many pending requests; see: fixcast auth pending")
    }
    return filed ?? nil
  }

  private func report(_ pending: PendingRequest, _ action: String) {
    // The command precedes any text that the program controls.
    let places = store.places
    store.report(
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
    let recorded = store.update { $0.record(decision) }
    if (recorded ?? nil) == nil { outputs.append(.update(.lapsed(.whenInUse))) }
  }

  private func log(_ event: AuditEvent) {
    // A program authorized by `base` alone needs no log, and may lack permission to write one.
    if !session.isAuthorizedByBase { store.log(event, about: session.client) }
  }
}
