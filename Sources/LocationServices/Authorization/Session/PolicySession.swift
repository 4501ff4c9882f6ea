// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Follows one client's authorization: what was said in, what to tell and to do out.
///
/// No clock, no file, no thread. ``PolicyFiles`` runs it.
struct PolicySession: Sendable {
  /// What the shell has to do.
  enum Effect: Equatable, Sendable {
    case tell(AuthorizationUpdate)
    /// File the request in the store, and say whether that worked.
    case file(AuthorizationRequest, purpose: String)
    /// Take all requests of this program for authorization back.
    case withdraw
    /// File a request for full accuracy for a while, and say whether that worked.
    case fileFullAccuracy(String)
    /// Take it back.
    case withdrawFullAccuracy(String)
    /// Tell all who wait for it.
    case answerFullAccuracy(String, FullAccuracyAnswer)
    /// Nobody answered in time, and the policy says what that means.
    case refuse(reason: String)
    case audit(AuditEvent)
  }

  struct Wait: Sendable {
    var request: AuthorizationRequest
    var purpose: String
    var since: BootTimestamp
    var isFiled = false
  }

  let client: ClientIdentity
  let process: ProcessToken
  /// What the client has been told, and what decided then.
  private(set) var standing: AuthorizationVerdict
  var told: Authorization { standing.authorization }
  var origin: AuthorizationVerdict.Origin { standing.origin }
  var isGloballyDenied: Bool { origin == .switchedOff }
  /// What it has asked for and been answered at once: defaults count from then on.
  private(set) var asked: AuthorizationRequest?
  private(set) var waits: [Wait] = []
  private var fullAccuracy = FullAccuracySession()

  init(
    client: ClientIdentity, process: ProcessToken, evaluation: AuthorizationEvaluation,
    now: BootTimestamp
  ) {
    self.client = client
    self.process = process
    standing = evaluation.verdict(on: client, asking: nil, at: now, process: process)
  }

  var isWaiting: Bool { !waits.isEmpty || fullAccuracy.isWaiting }

  /// Whether something holds though nobody has said anything.
  var isUnspoken: Bool { origin == .nobody && told.status.isAuthorized }

  /// The number of the answer that holds, where it serves once.
  var oneTimeGrantID: UInt64? {
    if case .decision(let decision) = origin, decision.servesOnce { decision.id } else { nil }
  }

  // MARK: Asking

  mutating func ask(
    _ request: AuthorizationRequest, purpose: String, _ evaluation: AuthorizationEvaluation,
    at now: BootTimestamp
  ) -> (AuthorizationAnswer, [Effect]) {
    // What was taken back before anybody looked is told first: as an answer alone it would pass
    // for an upgrade that is refused.
    let changes = told.status.isAuthorized ? follow(evaluation, at: now) : []
    var asking = event(.requested, now)
    asking.requested = request
    asking.reason = purpose
    let before = told
    let verdict = evaluation.verdict(on: client, asking: request, at: now, process: process)
    if opens(request, verdict, before: before) {
      if !waits.contains(where: { $0.request == request }) {
        waits.append(Wait(request: request, purpose: purpose, since: now))
      }
      return (.pending, changes + [.audit(asking), .file(request, purpose: purpose)])
    }
    if case .rule = verdict.origin { asked = request }
    standing = verdict
    var decided = event(.decided, now)
    decided.requested = request
    return (.decided(told), changes + [.audit(asking), .audit(decided)])
  }

  /// Whether an operator has to answer.
  private func opens(
    _ request: AuthorizationRequest, _ verdict: AuthorizationVerdict, before: Authorization
  ) -> Bool {
    switch verdict.authorization.status {
    case .notDetermined: return true
    case .authorizedWhenInUse where request == .always && before.status == .authorizedWhenInUse:
      // An upgrade; a default that stops at "in use", or a refusal, has said all there is to say.
      guard case .decision(let decision) = verdict.origin else { return false }
      return !decision.refusesAlways
    default: return false
    }
  }

  /// Takes note of whether a request was filed; one that was not is tried again.
  mutating func filed(_ request: AuthorizationRequest) {
    for index in waits.indices where waits[index].request == request {
      waits[index].isFiled = true
    }
  }

  /// Nobody waits for an answer to a request for authorization any more.
  mutating func abandon() -> [Effect] {
    guard !waits.isEmpty else { return [] }
    waits = []
    return [.withdraw]
  }

  // MARK: Following

  /// Looks at what is said now.
  mutating func follow(_ evaluation: AuthorizationEvaluation, at now: BootTimestamp) -> [Effect] {
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    let before = told
    let wasOff = isGloballyDenied
    standing = verdict
    var effects: [Effect] = []
    if isGloballyDenied != wasOff || told != before {
      effects.append(.tell(isGloballyDenied ? .deniedGlobally : .decided(told)))
      let isTaken = before.status.isAuthorized && !told.status.isAuthorized
      effects.append(.audit(event(isTaken ? .revoked : .decided, now)))
      if !keepsAsking { asked = nil }
    }
    effects += followWaits(evaluation, verdict, hasChanged: told != before, now)
    return effects + followFullAccuracy(evaluation, verdict, now)
  }

  /// Whether defaults go on counting: what was asked for before has to be asked for anew once it is
  /// taken back, but not because the board was switched off and on.
  private var keepsAsking: Bool {
    switch origin {
    case .switchedOff: true
    case .rule: told.status != .notDetermined
    default: told.status.isAuthorized
    }
  }

  private mutating func followWaits(
    _ evaluation: AuthorizationEvaluation, _ verdict: AuthorizationVerdict, hasChanged: Bool,
    _ now: BootTimestamp
  ) -> [Effect] {
    guard !waits.isEmpty else { return [] }
    var effects: [Effect] = []
    let pending = (try? evaluation.ledger.get().pending) ?? []
    let filed = pending.filter { $0.fullAccuracyPurposeKey == nil }
    if told.status == .authorizedAlways || told.status.isRefused {
      waits = []
      return filed.contains { $0.processes.contains(process) } ? [.withdraw] : []
    }
    for wait in waits {
      let isThere = filed.contains {
        $0.request == wait.request && $0.processes.contains(process)
      }
      let isGranted = told.status == .authorizedWhenInUse && wait.request == .whenInUse
      if isGranted || (wait.isFiled && !isThere) {
        drop(wait.request)
        if isThere { effects.append(.withdraw) }
        if !hasChanged { effects.append(.tell(end(of: wait.request))) }
      } else if let limit = verdict.waiting.timeoutSeconds, !isRecent(wait, limit, now) {
        drop(wait.request)
        effects.append(.withdraw)
        if verdict.waiting.thenDenies, told.status == .notDetermined {
          effects.append(.refuse(reason: "nobody answered within \(DurationText.text(limit))"))
        } else {
          let refuses = verdict.waiting.thenDenies
          effects.append(.tell(refuses ? .refused(wait.request) : .lapsed(wait.request)))
        }
      } else if !wait.isFiled {
        effects.append(.file(wait.request, purpose: wait.purpose))
      }
    }
    return effects
  }

  /// What a request came to that changed nothing.
  private func end(of request: AuthorizationRequest) -> AuthorizationUpdate {
    told.status == .authorizedWhenInUse && request == .always
      ? .refused(request) : told.status.isAuthorized ? .decided(told) : .lapsed(request)
  }

  private func isRecent(_ wait: Wait, _ limit: Int64, _ now: BootTimestamp) -> Bool {
    // In one run of a program the boot is the same, so that the wall clock does not matter.
    now.seconds(since: wait.since).map { $0 < limit } ?? true
  }

  private mutating func drop(_ request: AuthorizationRequest) {
    waits.removeAll { $0.request == request }
  }

  // MARK: Full accuracy for a while

  /// Takes a request; the answer is among the effects, now or in a later look.
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
    return [.audit(asking)] + followFullAccuracy(evaluation, verdict, now)
  }

  mutating func filedFullAccuracy(_ purposeKey: String) { fullAccuracy.filed(purposeKey) }

  /// Drops a request that nobody waits for any more.
  mutating func abandonFullAccuracy(_ purposeKey: String) -> [Effect] {
    fullAccuracy.drop(purposeKey) ? [.withdrawFullAccuracy(purposeKey)] : []
  }

  private mutating func followFullAccuracy(
    _ evaluation: AuthorizationEvaluation, _ verdict: AuthorizationVerdict, _ now: BootTimestamp
  ) -> [Effect] {
    guard !fullAccuracy.isIdle else { return [] }
    let ledger = (try? evaluation.ledger.get()) ?? DecisionLedger()
    let look = look(ledger, verdict, now)
    let ended: [Effect] =
      fullAccuracy.end(look)
      ? [.tell(.fullAccuracyEnded), .audit(event(.fullAccuracyEnded, now))] : []
    return ended + fullAccuracy.answer(look, began: event(.fullAccuracyBegan, now))
  }

  private func look(
    _ ledger: DecisionLedger, _ verdict: AuthorizationVerdict, _ now: BootTimestamp
  ) -> FullAccuracySession.Look {
    .init(
      client: client, process: process, told: told, verdict: verdict, ledger: ledger, now: now)
  }

  // MARK: What ends by itself

  /// Seconds until what holds or waits may be another, though nobody says anything; `nil` where
  /// nothing ends.
  func secondsToDeadline(_ evaluation: AuthorizationEvaluation, at now: BootTimestamp) -> Int64? {
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    var ends = [verdict.remainingSeconds].compactMap { $0 }
    if let limit = verdict.waiting.timeoutSeconds {
      for since in waits.map(\.since) + fullAccuracy.waitsSince {
        if let waited = now.seconds(since: since) { ends.append(limit - waited) }
      }
    }
    if let ledger = try? evaluation.ledger.get() {
      ends += fullAccuracy.secondsLeft(look(ledger, verdict, now))
    }
    return ends.min()
  }

  /// The number of a grant that serves once, not yet taken by anybody, that this program asks for;
  /// `nil` where there is none, or where none is needed.
  ///
  /// Without a request it is about what waits, or was refused by a default.
  func grantToClaim(
    asking request: AuthorizationRequest?, _ evaluation: AuthorizationEvaluation,
    at now: BootTimestamp
  ) -> UInt64? {
    guard let request = request ?? waits.first?.request ?? asked else { return nil }
    let own = evaluation.verdict(on: client, asking: request, at: now, process: process)
    guard !own.authorization.status.isAuthorized else { return nil }
    let next = evaluation.verdict(on: client, asking: request, at: now)
    guard next.authorization.status.isAuthorized, case .decision(let decision) = next.origin,
      decision.servesOnce
    else { return nil }
    return decision.id
  }

  /// Requests that an operator would be asked about, since neither a rule nor an answer decides.
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

  /// A line for the log about this client.
  func event(_ kind: AuditEvent.Kind, _ now: BootTimestamp) -> AuditEvent {
    var event = AuditEvent(kind, at: now.utcSeconds, client: "\(client)")
    event.process = process.process
    if kind != .requested {
      event.authorization = told
      event.decidedBy = "\(origin)"
    }
    return event
  }
}

/// Requests that an operator would be asked about, since neither a rule nor an answer decides.
package struct OperatorRequests: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package static let whenInUse = OperatorRequests(rawValue: 1)
  package static let always = OperatorRequests(rawValue: 2)
  package static let temporaryFull = OperatorRequests(rawValue: 4)
  package static let all: OperatorRequests = [.whenInUse, .always, .temporaryFull]

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package init(_ request: AuthorizationRequest) { self = request == .always ? .always : .whenInUse }
}
