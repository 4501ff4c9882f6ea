// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
public import LocationServices
internal import Positioning
internal import Synchronization

/// Asking whoever decides.
extension DaemonSession {
  /// Asks, and lets a request that nobody answers wait; the daemon is asked anew when it comes back.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What for.
  /// - Returns: The decision, or that it comes as an update.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    let policy = state.withLock { state in
      state.requested[request] = purpose
      state.open[request] = purpose
      return state.choice.standing == .process ? state.policy : nil
    }
    guard let policy else { return await askDaemon(request) }
    let answer = await policy.answer(request, purpose: purpose)
    return state.withLock { state in
      // A daemon that came meanwhile is asked, and what this process found counts no more.
      guard state.choice.standing == .process else { return .pending }
      if case .decided = answer { state.open[request] = nil }
      return answer
    }
  }

  /// Asks the daemon, and waits for its answer; where there is no connection that would outlast it,
  /// as soon as there is.
  private func askDaemon(_ request: AuthorizationRequest) async -> AuthorizationAnswer {
    let begun = state.withLock { state -> (purpose: String, isHolding: Bool)? in
      guard state.isConnected || state.jobs == nil, let purpose = state.open[request],
        state.asking.insert(request).inserted
      else { return nil }
      return (purpose, state.isHolding)
    }
    guard let (purpose, isHolding) = begun else { return .pending }
    // What holds is wanted at once; what an operator says may take as long as it does.
    let asked = DaemonAuthorizationRequest(
      request == .always ? .always : .whenInUse, purpose: purpose,
      timeoutSeconds: isHolding ? 0 : DaemonRequest.mostTimeoutSeconds)
    let found: Result<DaemonAuthorization, DaemonClientError>
    do throws(DaemonClientError) { found = .success(try await client.authorize(asked)) } catch {
      found = .failure(error)
    }
    state.withLock { _ = $0.asking.remove(request) }
    if Task.isCancelled { return .pending }
    switch found {
    case .success(let told): return take(told, as: request, isHolding: isHolding)
    case .failure(.rejected(let fault)):
      report("\(fault)")
      state.withLock { $0.open[request] = nil }
      tellWithheld()
      return .decided(Authorization(.notDetermined))
    case .failure(let error):
      // Where the connection is lost the next one says what holds.
      switch error {
      case .noDaemon, .disconnected, .silent: break
      default: tellWithheld()
      }
      add(.ask(request, after: backoff.longest))
      return .pending
    }
  }

  private func take(
    _ told: DaemonAuthorization, as request: AuthorizationRequest, isHolding: Bool
  ) -> AuthorizationAnswer {
    order.withLock { _ in
      // Of anything else the stream tells, in its order.
      guard told.authorization.status == .notDetermined else { return }
      let isHeld = state.withLock { state in
        defer { state.isHolding = false }
        return state.isHolding
      }
      if isHeld { take(told, isFirst: false) }
    }
    // It waits on at the daemon, and the stream tells; whether it lapses is told to who waits.
    if told.isPending {
      if isHolding { add(.ask(request, after: nil)) }
      return .pending
    }
    state.withLock { $0.open[request] = nil }
    return .decided(told.authorization)
  }

  /// Asks for what is open still: nobody waits, and the answer is an update.
  func askAgain(_ request: AuthorizationRequest, after pause: Duration?) async {
    if let pause, (try? await clock.sleep(for: pause)) == nil { return }
    guard case .decided(let decided) = await askDaemon(request) else { return }
    switch (decided.status, request) {
    case (.notDetermined, _): tellInOrder([.lapsed(request)])
    case (.authorizedWhenInUse, .always): tellInOrder([.refused(request)])
    // The stream tells of what has changed, in its order.
    default: break
    }
  }

  /// Asks for full accuracy for a while; its end comes as an update.
  ///
  /// - Parameter purposeKey: What for.
  /// - Returns: Granted once the daemon lets full accuracy through.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let policy = state.withLock { $0.choice.standing == .process ? $0.policy : nil }
    if let policy {
      let answer = await policy.decideFullAccuracy(purposeKey: purposeKey)
      // A daemon that came meanwhile is asked, and what this process found counts no more.
      if state.withLock({ $0.choice.standing == .process }) { return answer }
    }
    let (arrivals, continuation) = AsyncStream.makeStream(
      of: Arrival.self, bufferingPolicy: .bufferingOldest(8))
    let id = state.withLock { state in
      state.nextID &+= 1
      state.fullAccuracy[state.nextID] = continuation
      if state.isConnected || state.jobs == nil { continuation.yield(.connected) }
      return state.nextID
    }
    defer { state.withLock { _ = $0.fullAccuracy.removeValue(forKey: id) } }
    // It lasts for as long as a connection.
    for await arrival in arrivals {
      guard case .connected = arrival else { return .declined }
      break
    }
    if Task.isCancelled { return .declined }
    let asked = DaemonAuthorizationRequest(
      .temporaryFull, purpose: purposeKey, timeoutSeconds: DaemonRequest.mostTimeoutSeconds)
    guard let told = try? await client.authorize(asked).authorization,
      told.status.isAuthorized, told.accuracy == .fullAccuracy
    else { return .declined }
    let isSettled = state.withLock { state in
      // Nobody follows the stream, so that nobody would tell.
      state.jobs == nil
        || (state.told.authorization.status.isAuthorized
          && state.told.authorization.accuracy == .fullAccuracy)
    }
    if isSettled { return .granted(duration: nil) }
    for await arrival in arrivals {
      switch arrival {
      case .full: return .granted(duration: nil)
      case .lost: return .declined
      case .connected: break
      }
    }
    return .declined
  }

  /// Tells the daemon of an activity, and asks it for locations while something uses them.
  public func note(_ use: ServiceUse) {
    let isTeller = state.withLock { state in
      let before = state.wantedTerms
      state.take(use)
      // It goes with the connection. One that is yet to be made has it.
      if state.wantedTerms != before, state.isConnected { state.connectAnew() }
      // A policy that is yet to be made is told of what goes on then.
      guard state.choice.standing == .process, state.policy != nil else { return false }
      return state.notes.add([use])
    }
    if isTeller { tellNotes() }
  }
}

extension DaemonSession.State {
  /// Takes what the program does.
  fileprivate mutating func take(_ use: ServiceUse) {
    switch use {
    case .started(let service): uses.insert(service)
    case .stopped(let service, _): uses.remove(service)
    case .firstLocation: break
    case .activityBegan(let reason):
      activityCount += 1
      // Of several the one that began last: which of them has ended is not said.
      activity = reason
    case .activityEnded:
      activityCount = max(0, activityCount - 1)
      if activityCount == 0 { activity = nil }
    }
  }
}
