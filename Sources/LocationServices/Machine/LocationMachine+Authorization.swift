// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// What becomes of a change of authorization.
extension LocationMachine {
  mutating func ask(_ request: AuthorizationRequest) -> [Action] {
    guard let number = authorization.ask(request, purpose: purpose) else { return [] }
    return [.ask(request, purpose: purpose, number: number)]
  }

  mutating func askFullAccuracy(_ id: UInt64, key: String) -> [Action] {
    if let refusal = authorization.fullAccuracyRefusal {
      return [.call(.didAnswerFullAccuracy(id: id, refusal))]
    }
    let open = askingFullAccuracy.count + settledFullAccuracy.count
    guard open < Self.maxFullAccuracyRequests else {
      return [.call(.didAnswerFullAccuracy(id: id, .promptDeclined))]
    }
    fullAccuracyCount &+= 1
    askingFullAccuracy[fullAccuracyCount] = id
    return [.askFullAccuracy(key: key, number: fullAccuracyCount, id: id)]
  }

  /// The caller gets its answer before the delegate hears of what it changed.
  mutating func answerFullAccuracy(
    _ number: UInt64, _ id: UInt64, _ answer: FullAccuracyAnswer
  ) -> [Action] {
    askingFullAccuracy[number] = nil
    if settledFullAccuracy.remove(number) != nil { return [] }
    var error: LocationError?
    let changes = change { error = $0.answerFullAccuracy(number, answer) }
    var actions: [Action] = [.call(.didAnswerFullAccuracy(id: id, error))] + changes
    if case .granted(let duration?) = answer, authorization.lease == number {
      actions.append(.startTimer(.fullAccuracy(number), duration))
    }
    return actions
  }

  /// Takes what the policy says unasked.
  ///
  /// Where it widens what is known to full accuracy, that answers those who have asked for it, and
  /// they hear of it first.
  mutating func take(_ update: AuthorizationUpdate) -> [Action] {
    let wasReduced = authorization.isReduced
    let changes = change { $0.take(update) }
    guard wasReduced, !authorization.isReduced, authorization.granted.status.isAuthorized else {
      return changes
    }
    let settled = askingFullAccuracy.sorted { $0.key < $1.key }
    askingFullAccuracy = [:]
    settledFullAccuracy.formUnion(settled.map(\.key))
    return settled.map { .call(.didAnswerFullAccuracy(id: $0.value, nil)) } + changes
  }

  mutating func disconnect() -> [Action] {
    authorization.disconnect()
    askingFullAccuracy = [:]
    let services =
      started.sorted { $0.rawValue < $1.rawValue } + (regions.watches.isEmpty ? [] : [.regions])
      + (listenerCount > 0 ? [.liveUpdates] : [])
    started = []
    // Whoever keeps a log, or a grant that serves once, hears that it is over.
    return [.dropKnowledge] + endOneShot() + services.map { noteStop($0) }
  }

  /// Lets something happen to the authorization, and says what follows.
  ///
  /// What waits to be delivered goes before the change is told of, so that nothing comes after.
  mutating func change(_ happen: (inout AuthorizationState) -> Void) -> [Action] {
    let before = authorization
    happen(&authorization)
    let (old, new) = (before.effective, authorization.effective)
    var actions: [Action] = []
    let isNarrowed = old.accuracy == .fullAccuracy && new.accuracy == .reducedAccuracy
    if new.accuracy == .reducedAccuracy, isNarrowed || !old.status.isAuthorized {
      reducedReception.begin(with: reception)
    }
    let isWithdrawn = old.status.isAuthorized && !new.status.isAuthorized
    if isWithdrawn || (isNarrowed && old.status.isAuthorized) {
      actions.append(.dropKnowledge)
      oneShot?.forgetBest()
    }
    if !authorization.mayDeliver || authorization.isReduced { suspend() }
    if authorization.mayDeliver, authorization.isReduced, !before.mayDeliver || !before.isReduced {
      (untold, areListenersUntold) = (started, listenerCount > 0)
    }
    guard old != new else { return actions }
    actions.append(.call(.didChangeAuthorization(new)))
    if isNarrowed, new.status.isAuthorized {
      actions += regionsDenied
    }
    return actions + failures(from: old, to: new.status)
  }

  private var regionsDenied: [Action] {
    regions.regions.map { .call(.monitoringDidFail($0, .regionMonitoringDenied)) }
  }

  /// What was under way when deliveries stop must not go on from there when they begin again.
  private mutating func suspend() {
    regions.interrupt()
    stationary.reset()
    restWhileUpdating.reset()
    distanceFilter.reset()
    headingFilter.reset()
  }

  /// The errors that tell of a grant withdrawn, or of a request refused.
  ///
  /// Withdrawn, they are one for all; refused, one for each service that has waited. Each region
  /// has one of its own, as in Core Location. What was refused already is not told again: from
  /// "denied" to "restricted" nothing new fails, nor does a region that reduced accuracy has ended.
  private mutating func failures(
    from before: Authorization, to new: AuthorizationStatus
  ) -> [Action] {
    let old = before.status
    guard !new.isAuthorized, old.isAuthorized || (old == .notDetermined && new.isRefused) else {
      return []
    }
    outage.find()
    isPaused = false
    let waiting = started.count + (oneShot == nil ? 0 : 1)
    let count = old.isAuthorized ? min(waiting, 1) : waiting
    let hadRegions = !old.isAuthorized || before.accuracy == .fullAccuracy
    return Array(repeating: .call(.didFailWithError(.denied)), count: count)
      + (hadRegions ? regionsDenied : []) + endOneShot()
  }
}
