// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// State machine of one client's authorization: requests and evaluations in, effects out.
///
/// A session has no clock, no files and no thread; ``PolicyFiles`` provides them.
struct PolicySession: Sendable {
  /// An action that the caller has to perform.
  enum Effect: Equatable, Sendable {
    case notify(AuthorizationUpdate)
    /// File the request in the store, and call ``filed(_:)`` on success.
    case file(AuthorizationRequest, purpose: String)
    /// Withdraw all authorization requests of this program.
    case withdraw
    /// File a request for temporary full accuracy, and call ``filedFullAccuracy(_:)`` on success.
    case fileFullAccuracy(String)
    /// Withdraw the full-accuracy request with this purpose.
    case withdrawFullAccuracy(String)
    /// Answer all pending full-accuracy requests with this purpose.
    case answerFullAccuracy(String, FullAccuracyAnswer)
    /// Record the refusal that the policy prescribes if no operator answers in time.
    case refuse(reason: String)
    case audit(AuditEvent)
  }

  /// A request that has not been answered yet.
  struct Wait: Sendable {
    var request: AuthorizationRequest
    var purpose: String
    var since: BootTimestamp
    var isFiled = false
  }

  let client: ClientIdentity
  let process: ProcessToken
  /// The verdict last reported to the client.
  private(set) var lastVerdict: AuthorizationVerdict
  var authorization: Authorization { lastVerdict.authorization }
  var origin: AuthorizationVerdict.Origin { lastVerdict.origin }
  var isGloballyDenied: Bool { origin == .switchedOff }
  /// The last request that a default rule answered at once; default rules apply from then on.
  private(set) var asked: AuthorizationRequest?
  private(set) var waits: [Wait] = []
  private var fullAccuracy = FullAccuracySession()

  init(
    client: ClientIdentity, process: ProcessToken, evaluation: AuthorizationEvaluation,
    now: BootTimestamp
  ) {
    self.client = client
    self.process = process
    lastVerdict = evaluation.verdict(on: client, asking: nil, at: now, process: process)
  }

  var isWaiting: Bool { !waits.isEmpty || fullAccuracy.isWaiting }

  /// Whether the client is authorized by the base alone, without a rule or decision.
  var isAuthorizedByBase: Bool { origin == .undecided && authorization.status.isAuthorized }

  /// The number of the one-time grant in effect, if any.
  var oneTimeGrantID: UInt64? {
    if case .decision(let decision) = origin, decision.servesOnce { decision.id } else { nil }
  }

  // MARK: Requests

  mutating func ask(
    _ request: AuthorizationRequest, purpose: String, _ evaluation: AuthorizationEvaluation,
    at now: BootTimestamp
  ) -> (AuthorizationAnswer, [Effect]) {
    // Before the answer, report a revocation that has not been reported yet. Otherwise the answer
    // would look like a refused upgrade.
    let changes = authorization.status.isAuthorized ? follow(evaluation, at: now) : []
    var asking = event(.requested, now)
    asking.requested = request
    asking.reason = purpose
    let before = authorization
    let verdict = evaluation.verdict(on: client, asking: request, at: now, process: process)
    if needsOperator(request, verdict, before: before) {
      if !waits.contains(where: { $0.request == request }) {
        waits.append(Wait(request: request, purpose: purpose, since: now))
      }
      return (.pending, changes + [.audit(asking), .file(request, purpose: purpose)])
    }
    if case .rule = verdict.origin { asked = request }
    lastVerdict = verdict
    var decided = event(.decided, now)
    decided.requested = request
    return (.decided(authorization), changes + [.audit(asking), .audit(decided)])
  }

  /// Whether an operator has to decide.
  private func needsOperator(
    _ request: AuthorizationRequest, _ verdict: AuthorizationVerdict, before: Authorization
  ) -> Bool {
    switch verdict.authorization.status {
    case .notDetermined: return true
    case .authorizedWhenInUse where request == .always && before.status == .authorizedWhenInUse:
      // No operator decides about an upgrade that a default rule or an earlier decision refuses.
      guard case .decision(let decision) = verdict.origin else { return false }
      return !decision.refusesAlways
    default: return false
    }
  }

  /// Records that a request has been filed; otherwise `follow` returns the effect `file` again.
  mutating func filed(_ request: AuthorizationRequest) {
    for index in waits.indices where waits[index].request == request {
      waits[index].isFiled = true
    }
  }

  /// Drops all pending requests for authorization, because their answer is no longer needed.
  mutating func abandon() -> [Effect] {
    guard !waits.isEmpty else { return [] }
    waits = []
    return [.withdraw]
  }

  // MARK: Evaluation

  /// Evaluates the authorization again, after a change or a deadline.
  mutating func follow(_ evaluation: AuthorizationEvaluation, at now: BootTimestamp) -> [Effect] {
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    let before = authorization
    let wasGloballyDenied = isGloballyDenied
    lastVerdict = verdict
    var effects: [Effect] = []
    if isGloballyDenied != wasGloballyDenied || authorization != before {
      effects.append(.notify(isGloballyDenied ? .deniedGlobally : .decided(authorization)))
      let isWithdrawn = before.status.isAuthorized && !authorization.status.isAuthorized
      effects.append(.audit(event(isWithdrawn ? .revoked : .decided, now)))
      if !defaultRulesContinue { asked = nil }
    }
    effects += updateWaits(evaluation, verdict, hasChanged: authorization != before, now)
    return effects + updateFullAccuracy(evaluation, verdict, now)
  }

  /// Whether default rules continue to apply.
  ///
  /// After a withdrawal, the program must make its request again. After location services were
  /// disabled and enabled again for the whole board, the program need not.
  private var defaultRulesContinue: Bool {
    switch origin {
    case .switchedOff: true
    case .rule: authorization.status != .notDetermined
    default: authorization.status.isAuthorized
    }
  }

  private mutating func updateWaits(
    _ evaluation: AuthorizationEvaluation, _ verdict: AuthorizationVerdict, hasChanged: Bool,
    _ now: BootTimestamp
  ) -> [Effect] {
    guard !waits.isEmpty else { return [] }
    var effects: [Effect] = []
    let pending = (try? evaluation.ledger.get().pending) ?? []
    let filed = pending.filter { $0.fullAccuracyPurposeKey == nil }
    if authorization.status == .authorizedAlways || authorization.status.isRefused {
      waits = []
      return filed.contains { $0.processes.contains(process) } ? [.withdraw] : []
    }
    for wait in waits {
      let isPending = filed.contains {
        $0.request == wait.request && $0.processes.contains(process)
      }
      let isGranted = authorization.status == .authorizedWhenInUse && wait.request == .whenInUse
      if isGranted || (wait.isFiled && !isPending) {
        drop(wait.request)
        if isPending { effects.append(.withdraw) }
        if !hasChanged { effects.append(.notify(update(afterEndOf: wait.request))) }
      } else if let limit = verdict.waiting.timeoutSeconds, !isRecent(wait, limit, now) {
        drop(wait.request)
        effects.append(.withdraw)
        if verdict.waiting.thenDenies, authorization.status == .notDetermined {
          effects.append(.refuse(reason: "no answer within \(DurationText.text(limit))"))
        } else {
          let refuses = verdict.waiting.thenDenies
          effects.append(.notify(refuses ? .refused(wait.request) : .lapsed(wait.request)))
        }
      } else if !wait.isFiled {
        effects.append(.file(wait.request, purpose: wait.purpose))
      }
    }
    return effects
  }

  /// Returns the update for a request that ended without a change of authorization.
  private func update(afterEndOf request: AuthorizationRequest) -> AuthorizationUpdate {
    authorization.status == .authorizedWhenInUse && request == .always
      ? .refused(request)
      : authorization.status.isAuthorized ? .decided(authorization) : .lapsed(request)
  }

  private func isRecent(_ wait: Wait, _ limit: Int64, _ now: BootTimestamp) -> Bool {
    // During one run of a program the boot is the same, so changes of the wall clock have no
    // effect.
    now.seconds(since: wait.since).map { $0 < limit } ?? true
  }

  private mutating func drop(_ request: AuthorizationRequest) {
    waits.removeAll { $0.request == request }
  }

  // MARK: Temporary full accuracy

  /// Adds a request; the answer is among the effects of this or a later call.
  mutating func askFullAccuracy(
    _ purposeKey: String, _ evaluation: AuthorizationEvaluation, at now: BootTimestamp
  ) -> [Effect] {
    var asking = event(.requested, now)
    asking.asksFullAccuracy = true
    asking.reason = purposeKey
    guard fullAccuracy.add(purposeKey, at: now) else {
      return [.audit(asking), .answerFullAccuracy(purposeKey, .declined)]
    }
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    return [.audit(asking)] + updateFullAccuracy(evaluation, verdict, now)
  }

  mutating func filedFullAccuracy(_ purposeKey: String) { fullAccuracy.filed(purposeKey) }

  /// Drops a request whose answer is no longer needed.
  mutating func abandonFullAccuracy(_ purposeKey: String) -> [Effect] {
    fullAccuracy.drop(purposeKey) ? [.withdrawFullAccuracy(purposeKey)] : []
  }

  private mutating func updateFullAccuracy(
    _ evaluation: AuthorizationEvaluation, _ verdict: AuthorizationVerdict, _ now: BootTimestamp
  ) -> [Effect] {
    guard !fullAccuracy.isIdle else { return [] }
    let ledger = (try? evaluation.ledger.get()) ?? DecisionLedger()
    let context = context(ledger, verdict, now)
    let ended: [Effect] =
      fullAccuracy.end(context)
      ? [.notify(.fullAccuracyEnded), .audit(event(.fullAccuracyEnded, now))] : []
    return ended + fullAccuracy.answer(context, began: event(.fullAccuracyBegan, now))
  }

  private func context(
    _ ledger: DecisionLedger, _ verdict: AuthorizationVerdict, _ now: BootTimestamp
  ) -> FullAccuracySession.Context {
    .init(
      client: client, process: process, authorization: authorization, verdict: verdict,
      ledger: ledger, now: now)
  }

  // MARK: Deadlines

  /// Returns the seconds until a grant or a pending request may expire.
  ///
  /// Returns `nil` if nothing expires.
  func secondsToDeadline(_ evaluation: AuthorizationEvaluation, at now: BootTimestamp) -> Int64? {
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    var ends = [verdict.remainingSeconds].compactMap { $0 }
    if let limit = verdict.waiting.timeoutSeconds {
      for since in waits.map(\.since) + fullAccuracy.waitsSince {
        if let waited = now.seconds(since: since) { ends.append(limit - waited) }
      }
    }
    if let ledger = try? evaluation.ledger.get() {
      ends += fullAccuracy.secondsLeft(context(ledger, verdict, now))
    }
    return ends.min()
  }

  /// Returns the number of an unclaimed one-time grant that this program needs; `nil` if it needs
  /// none.
  ///
  /// Without `request`, the pending request or the last one that a default rule answered is used.
  func grantToClaim(
    asking request: AuthorizationRequest?, _ evaluation: AuthorizationEvaluation,
    at now: BootTimestamp
  ) -> UInt64? {
    guard let request = request ?? waits.first?.request ?? asked else { return nil }
    let current = evaluation.verdict(on: client, asking: request, at: now, process: process)
    guard !current.authorization.status.isAuthorized else { return nil }
    let afterClaim = evaluation.verdict(on: client, asking: request, at: now)
    guard afterClaim.authorization.status.isAuthorized,
      case .decision(let decision) = afterClaim.origin, decision.servesOnce
    else { return nil }
    return decision.id
  }

  /// Returns the requests that an operator would have to decide, because no rule or decision does.
  func operatorRequests(
    _ evaluation: AuthorizationEvaluation, at now: BootTimestamp
  ) -> OperatorRequests {
    var requests: OperatorRequests = []
    for request in AuthorizationRequest.allCases {
      let verdict = evaluation.verdict(on: client, asking: request, at: now, process: process)
      switch verdict.authorization.status {
      case .notDetermined: requests.insert(OperatorRequests(request))
      case .authorizedWhenInUse where request == .always:
        if case .decision(let decision) = verdict.origin, !decision.refusesAlways {
          requests.insert(.always)
        }
      default: break
      }
      if verdict.fullAccuracySeconds == nil { requests.insert(.temporaryFull) }
    }
    return requests
  }

  /// Returns a log line about this client.
  func event(_ kind: AuditEvent.Kind, _ now: BootTimestamp) -> AuditEvent {
    var event = AuditEvent(kind, at: now.utcSeconds, client: "\(client)")
    event.process = process == .unknown ? nil : process.process
    if kind != .requested {
      event.authorization = authorization
      event.decidedBy = "\(origin)"
    }
    return event
  }
}

/// Requests that an operator would have to decide, because no rule or decision does.
package struct OperatorRequests: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package static let whenInUse = OperatorRequests(rawValue: 1)
  package static let always = OperatorRequests(rawValue: 2)
  package static let temporaryFull = OperatorRequests(rawValue: 4)
  package static let all: OperatorRequests = [.whenInUse, .always, .temporaryFull]

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package init(_ request: AuthorizationRequest) { self = request == .always ? .always : .whenInUse }
}
