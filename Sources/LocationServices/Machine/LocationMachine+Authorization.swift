// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Requests for authorization and changes of authorization.
extension LocationMachine {
  mutating func ask(_ request: AuthorizationRequest) -> [Action] {
    guard let number = authorization.ask(request, purpose: purpose) else { return [] }
    return [.ask(request, purpose: purpose, number: number)]
  }

  mutating func askFullAccuracy(_ id: UInt64, key: String) -> [Action] {
    if let refusal = authorization.fullAccuracyRefusal {
      return [.call(.didAnswerFullAccuracy(id: id, refusal))]
    }
    let openCount = askingFullAccuracy.count + settledFullAccuracy.count
    guard openCount < Self.maxFullAccuracyRequests else {
      return [.call(.didAnswerFullAccuracy(id: id, .promptDeclined))]
    }
    fullAccuracyCount &+= 1
    askingFullAccuracy[fullAccuracyCount] = id
    return [.askFullAccuracy(key: key, number: fullAccuracyCount, id: id)]
  }

  /// Answers a full-accuracy request; the completion runs before the delegate is notified.
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

  /// Handles an update that the policy sends without a request.
  ///
  /// If the update grants full accuracy, pending full-accuracy requests are answered before the
  /// delegate is notified.
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
    // The policy needs the end of each service for its log and for one-time grants.
    return [.dropPositionData] + endOneShot() + services.map { noteStop($0) }
  }

  /// Applies a change to the authorization and returns the resulting actions.
  ///
  /// Queued callbacks that reveal a position are dropped before the change is reported, so that the
  /// delegate receives none of them after the change.
  mutating func change(_ apply: (inout AuthorizationState) -> Void) -> [Action] {
    let before = authorization
    apply(&authorization)
    let (old, new) = (before.effective, authorization.effective)
    var actions: [Action] = []
    let isNarrowed = old.accuracy == .fullAccuracy && new.accuracy == .reducedAccuracy
    if new.accuracy == .reducedAccuracy, isNarrowed || !old.status.isAuthorized {
      reducedReception.begin(with: reception)
    }
    let isWithdrawn = old.status.isAuthorized && !new.status.isAuthorized
    if isWithdrawn || (isNarrowed && old.status.isAuthorized) {
      actions.append(.dropPositionData)
      oneShot?.forgetBest()
    }
    if !authorization.mayDeliver || authorization.isReduced { suspend() }
    if authorization.mayDeliver, authorization.isReduced, !before.mayDeliver || !before.isReduced {
      (servicesWithoutDelivery, listenersLackDelivery) = (started, listenerCount > 0)
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

  /// Resets filters and detectors, so that nothing carries over to the next delivery.
  private mutating func suspend() {
    regions.interrupt()
    stationary.reset()
    restWhileUpdating.reset()
    distanceFilter.reset()
    headingFilter.reset()
  }

  /// Returns the errors for a withdrawn grant or a refused request.
  ///
  /// A withdrawal causes one error for all services, a refusal one error for each waiting service.
  /// Each region has its own error, as in Core Location. A change from "denied" to "restricted"
  /// causes no error, nor does a region that could not be monitored under reduced accuracy.
  private mutating func failures(
    from before: Authorization, to new: AuthorizationStatus
  ) -> [Action] {
    let old = before.status
    guard !new.isAuthorized, old.isAuthorized || (old == .notDetermined && new.isRefused) else {
      return []
    }
    outage.end()
    isPaused = false
    let waiting = started.count + (oneShot == nil ? 0 : 1)
    let count = old.isAuthorized ? min(waiting, 1) : waiting
    let hadRegions = !old.isAuthorized || before.accuracy == .fullAccuracy
    return Array(repeating: .call(.didFailWithError(.denied)), count: count)
      + (hadRegions ? regionsDenied : []) + endOneShot()
  }
}
