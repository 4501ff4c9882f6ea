// SPDX-License-Identifier: Apache-2.0

/// What a session decided, done.
extension PolicyFiles {
  func run(_ effects: [PolicySession.Effect], _ state: inout State) {
    for effect in effects {
      switch effect {
      case .tell(let update): tell(update)
      case .file(let request, let purpose): file(request, purpose, &state)
      case .withdraw:
        state.reported = []
        write(&state) { $0.withdraw(self.process) }
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
    guard let pending = filed ?? nil else {
      if filed != nil {
        reportOnce("too many requests wait already; see: fixcast auth pending", &state)
      }
      return
    }
    state.session.filed(request)
    guard state.reported.insert(request).inserted else { return }
    let what = request == .always ? "at any time" : "while in use"
    report(
      "\(client) asks to know where the board is \(what), for: \(pending.purpose); "
        + "grant it with: \(places.command(pending.answer)), or see: "
        + places.command(["fixcast", "auth", "pending"]))
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
    switch use {
    case .started(let service):
      event = state.session.event(.started, now())
      event.service = service
    case .firstLocation(let service):
      event = state.session.event(.firstFix, now())
      event.service = service
      if let id = state.session.servingOnce { write(&state) { $0.use(id, by: self.process) } }
    case .stopped(let service, let count):
      event = state.session.event(.stopped, now())
      event.service = service
      event.locationCount = count
      if count > 0, let id = state.session.servingOnce {
        write(&state) { $0.useUp(id, by: self.process) }
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
    do { try places.audit.append(event) } catch {
      reportOnce("the log of authorization cannot be written: \(error)", &state)
    }
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
