// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides what a location manager says and when: events in, actions out.
///
/// No clock, no thread, no delegate. `LocationManager` runs it.
struct LocationMachine: Sendable {
  enum Event: Equatable, Sendable {
    /// A delegate was set.
    case attached
    case requestAuthorization(AuthorizationRequest)
    /// The policy answered a request.
    case answered(Authorization)
    /// The policy decided without being asked: revoked, expired, locked, widened.
    case decided(Authorization)
    case startUpdating
    case stopUpdating
    case requestLocation
    case location(Location)
    /// The receiver lives and has no position.
    case noPosition(Fix)
    /// The source failed.
    case positionLost
    /// The time for the one-shot request of that number is over.
    case timedOut(UInt64)
  }

  enum Action: Equatable, Sendable {
    case call(LocationCallback)
    case ask(AuthorizationRequest)
    /// Send ``Event/timedOut(_:)`` with that number when the time is over.
    case startTimer(UInt64)
    /// Locations that wait to be delivered must not be any more.
    case dropLocations
  }

  private(set) var authorization: Authorization
  private(set) var isUpdating = false
  /// The number of the pending one-shot request.
  private(set) var oneShot: UInt64?
  private(set) var isRequestInProgress = false
  private var oneShotCount: UInt64 = 0
  private var hasAskedAlways = false
  /// Whether the present outage has been reported.
  private var isOutageKnown = false

  init(authorization: Authorization) { self.authorization = authorization }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .attached: [.call(.didChangeAuthorization(authorization))]
    case .requestAuthorization(let request): ask(request)
    case .answered(let authorization): answer(authorization)
    case .decided(let authorization): decide(authorization)
    case .startUpdating: start()
    case .stopUpdating: stop()
    case .requestLocation: requestOnce()
    case .location(let location): deliver(location)
    case .noPosition(let fix): losePosition() + tell(fix)
    case .positionLost: losePosition()
    case .timedOut(let number): timeOut(number)
    }
  }

  /// Only what has not been decided can be asked, and once the upgrade to "always".
  private mutating func ask(_ request: AuthorizationRequest) -> [Action] {
    guard !isRequestInProgress else { return [] }
    switch (authorization.status, request) {
    case (.notDetermined, _): break
    case (.authorizedWhenInUse, .always) where !hasAskedAlways: break
    default: return []
    }
    if request == .always { hasAskedAlways = true }
    isRequestInProgress = true
    return [.ask(request)]
  }

  private mutating func answer(_ answer: Authorization) -> [Action] {
    // A decision that came meanwhile has overtaken the request.
    guard isRequestInProgress else { return [] }
    // A refused upgrade leaves what was granted before.
    let isRefusedUpgrade =
      authorization.status == .authorizedWhenInUse && answer.status != .authorizedAlways
    if isRefusedUpgrade {
      isRequestInProgress = false
      return []
    }
    return decide(answer)
  }

  private mutating func decide(_ decided: Authorization) -> [Action] {
    let before = authorization
    isRequestInProgress = false
    guard decided != before else { return [] }
    authorization = decided
    var actions: [Action] = []
    if !decided.status.isAuthorized || decided.accuracy != before.accuracy {
      actions.append(.dropLocations)
    }
    actions.append(.call(.didChangeAuthorization(decided)))
    // Denied to restricted tells of the new status, but fails nothing a second time.
    if decided.status.isRefused, !before.status.isRefused, isUpdating || oneShot != nil {
      oneShot = nil
      actions.append(.call(.didFailWithError(.denied)))
    }
    return actions
  }

  private mutating func start() -> [Action] {
    oneShot = nil
    isUpdating = true
    isOutageKnown = false
    return authorization.status.isRefused ? [.call(.didFailWithError(.denied))] : []
  }

  private mutating func stop() -> [Action] {
    oneShot = nil
    isUpdating = false
    return [.dropLocations]
  }

  private mutating func requestOnce() -> [Action] {
    if authorization.status.isRefused { return [.call(.didFailWithError(.denied))] }
    // While updates run there is nothing to ask for; and one request is outstanding at most.
    guard !isUpdating, oneShot == nil else { return [] }
    oneShotCount &+= 1
    oneShot = oneShotCount
    return [.startTimer(oneShotCount)]
  }

  private mutating func deliver(_ location: Location) -> [Action] {
    guard authorization.status.isAuthorized else { return [] }
    isOutageKnown = false
    guard isUpdating || oneShot != nil else { return [] }
    oneShot = nil
    let isReduced = authorization.accuracy == .reducedAccuracy
    return [.call(.didUpdateLocations([isReduced ? location.reduced : location]))]
  }

  private mutating func losePosition() -> [Action] {
    guard authorization.status.isAuthorized, isUpdating, !isOutageKnown else { return [] }
    isOutageKnown = true
    return [.call(.didFailWithError(.locationUnknown))]
  }

  private func tell(_ fix: Fix) -> [Action] {
    guard authorization.status.isAuthorized, isUpdating else { return [] }
    return [.call(.didReceiveFixWithoutPosition(fix.withoutPosition))]
  }

  private mutating func timeOut(_ number: UInt64) -> [Action] {
    guard oneShot == number else { return [] }
    oneShot = nil
    let nobodyAsked = authorization.status == .notDetermined && !isRequestInProgress
    return [.call(.didFailWithError(nobodyAsked ? .denied : .locationUnknown))]
  }
}
