// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a session decided, done.
extension PolicyFiles {
  func run(_ effects: [PolicySession.Effect], _ state: inout State) {
    for effect in effects {
      switch effect {
      case .tell(let update): tell(update)
      case .file(let request, let purpose): file(request, purpose, &state)
      case .withdraw:
        state.reported = []
        write(&state) { $0.withdraw(self.process) { $0.fullAccuracyPurposeKey == nil } }
      case .fileFullAccuracy(let key): fileFullAccuracy(key, &state)
      case .withdrawFullAccuracy(let key):
        let key = DecisionLedger.cut(key)
        write(&state) { $0.withdraw(self.process) { $0.fullAccuracyPurposeKey == key } }
      case .answerFullAccuracy(let key, let answer): state.waiting.answer(key, answer)
      case .refuse(let reason): refuse(reason, &state)
      case .audit(let event): log(event, &state)
      }
    }
  }

  private func file(
    _ request: AuthorizationRequest, _ purpose: String, _ state: inout State
  ) {
    let filed = write(&state) { ledger in
      ledger.prune(at: self.now())
      return ledger.file(
        request, of: self.client, purpose: purpose, process: self.process, at: self.now())
    }
    guard let pending = taken(filed, &state) else { return }
    state.session.filed(request)
    guard state.reported.insert(request).inserted else { return }
    report(pending, "asks to know where the board is \(pending.summary)")
  }

  private func fileFullAccuracy(_ key: String, _ state: inout State) {
    let filed = write(&state) { ledger in
      ledger.prune(at: self.now())
      return ledger.file(
        .whenInUse, of: self.client, purpose: self.purposes?[key] ?? key,
        fullAccuracyPurposeKey: key, process: self.process, at: self.now())
    }
    guard let pending = taken(filed, &state) else { return }
    state.session.filedFullAccuracy(key)
    report(pending, "asks for \(pending.summary)")
  }

  /// What was filed; where too many wait already, that is reported.
  private func taken(_ filed: PendingRequest??, _ state: inout State) -> PendingRequest? {
    guard let filed else { return nil }
    if filed == nil {
      reportOnce("too many requests wait already; see: fixcast auth pending", &state)
    }
    return filed
  }

  private func report(_ pending: PendingRequest, _ what: String) {
    // What to run comes before anything that the program has a say in.
    var line =
      "grant it with: \(places.command(pending.answer)), or see: "
      + places.command(["fixcast", "auth", "pending"])
    line += "; \(client.evidence)"
    report("\(line) \(what), in its own words for: \(ProgramWords.quoted(pending.purpose))")
  }

  /// Takes a grant that serves once, where this program asks and no other has taken it.
  ///
  /// The store decides, under its lock and before anything is granted: of two programs that ask at
  /// once one gets it, and one that ends before it was served leaves nothing behind to be used
  /// twice.
  func claimGrant(_ state: inout State, asking request: AuthorizationRequest? = nil) {
    let grant = state.session.grantToClaim(
      asking: request, state.snapshot.evaluation, at: now())
    guard let grant else { return }
    write(&state) { ledger in
      ledger.prune(at: self.now())
      return ledger.claim(grant, by: self.process)
    }
    state.snapshot.readChangedAnswers()
  }

  private func refuse(_ reason: String, _ state: inout State) {
    let recorded = write(&state) { ledger in
      ledger.record(
        Decision(
          selector: self.client.evidence, level: .denied, created: self.now(), grantedBy: nil,
          reason: reason))
    }
    if (recorded ?? nil) == nil { tell(.lapsed(.whenInUse)) }
  }

  func note(_ use: ServiceUse, _ state: inout State) {
    var event: AuditEvent
    let isServed = state.use.take(use)
    switch use {
    case .started(let service):
      event = state.session.event(.started, now())
      event.service = service
    case .firstLocation(let service):
      event = state.session.event(.firstFix, now())
      event.service = service
    case .stopped(let service, let count):
      event = state.session.event(.stopped, now())
      event.service = service
      event.locationCount = count
      if isServed, let id = state.session.servingOnce {
        write(&state) { $0.useUp(id, by: self.process) }
        // Before the program can ask for another location.
        follow(&state)
      }
    case .activityBegan(let reason):
      event = state.session.event(.activityBegan, now())
      event.reason = reason
    case .activityEnded: event = state.session.event(.activityEnded, now())
    }
    log(event, &state)
  }

  /// Changes the answers; `nil` where that failed, which is reported once until it works again.
  @discardableResult
  private func write<Value>(
    _ state: inout State, _ change: (inout DecisionLedger) -> Value
  ) -> Value? {
    do {
      let value = try places.store.update(change)
      state.failures = []
      return value
    } catch {
      reportOnce("requests and grants cannot be written: \(error)", &state)
      return nil
    }
  }

  private func log(_ event: AuditEvent, _ state: inout State) {
    // Whoever asks for themselves, unanswered, needs no log, and may have no right to write it.
    if state.session.isUnspoken { return }
    var event = event
    if let useLog, !event.isDecision {
      guard let omitted = useLog.take(client, at: now()) else { return }
      event.omittedCount = omitted
    }
    do {
      try audit.append(event) { error in
        self.state.withLock { self.reportUnwritten(error, &$0) }
      }
    } catch { reportUnwritten(error, &state) }
  }

  private func reportUnwritten(_ error: DecisionStoreError, _ state: inout State) {
    reportOnce("the log of authorization cannot be written: \(error)", &state)
  }

  private func reportOnce(_ failure: String, _ state: inout State) {
    if state.failures.insert(failure).inserted { report(failure) }
  }

  /// Says what cannot be read, once.
  func reportProblems(_ state: inout State) {
    var problems = state.snapshot.evaluation.rules.problems.map(\.description)
    if case .failure(let error) = state.snapshot.evaluation.ledger {
      problems.append(error.description)
    }
    defer { state.problems = problems }
    for problem in problems where !state.problems.contains(problem) {
      report("\(problem); until that is mended nobody may know where the board is")
    }
  }
}
