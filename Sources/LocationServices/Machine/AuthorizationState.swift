// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The authorization of a program and its pending request.
package struct AuthorizationState: Equatable, Sendable {
  package struct Pending: Equatable, Sendable {
    package var request: AuthorizationRequest
    /// Distinguishes the answer to this request from answers to superseded requests.
    package var number: UInt64
  }

  /// The current decision.
  package private(set) var granted: Authorization
  package private(set) var isDeniedGlobally: Bool
  package private(set) var pending: Pending?
  /// The component that enforces decisions.
  package private(set) var mode: AuthorizationMode
  private(set) var isAlwaysDenied = false
  private(set) var isFullAccuracyDenied = false
  private(set) var isPurposeMissing = false
  /// The number of the request that obtained temporary full accuracy; `nil` without such a grant.
  package private(set) var lease: UInt64?
  private var requestCount: UInt64 = 0
  private var hasAskedAlways = false

  package init(
    _ granted: Authorization, isDeniedGlobally: Bool = false,
    mode: AuthorizationMode = .cooperative
  ) {
    self.granted = granted
    self.mode = mode
    self.isDeniedGlobally = isDeniedGlobally
  }

  /// The current authorization, including temporary full accuracy.
  package var effective: Authorization {
    Authorization(granted.status, accuracy: lease == nil ? granted.accuracy : .fullAccuracy)
  }

  /// Whether a location may be delivered now.
  package var mayDeliver: Bool { granted.status.isAuthorized }

  package var isReduced: Bool { effective.accuracy == .reducedAccuracy }

  /// Whether a precise location may be delivered now.
  var hasFullAccuracy: Bool { mayDeliver && !isReduced }

  /// Whether regions may be monitored; true while undecided.
  var mayMonitorRegions: Bool { mayDeliver ? !isReduced : !granted.status.isRefused }

  /// Whether the daemon that serves the locations has reduced them already.
  package var isReducedByDaemon: Bool { isReduced && mode != .cooperative }

  /// Starts a request and returns its number; `nil` if no request can be made.
  ///
  /// A request can be made before a decision, and once to upgrade from "in use" to "always".
  package mutating func ask(_ request: AuthorizationRequest, purpose: String) -> UInt64? {
    guard pending == nil else { return nil }
    switch (granted.status, request) {
    case (.notDetermined, _): break
    case (.authorizedWhenInUse, .always) where !hasAskedAlways: break
    default: return nil
    }
    guard purpose.contains(where: { !$0.isWhitespace }) else {
      isPurposeMissing = true
      return nil
    }
    if request == .always { hasAskedAlways = true }
    requestCount &+= 1
    pending = Pending(request: request, number: requestCount)
    return requestCount
  }

  package mutating func answer(_ number: UInt64, _ answer: AuthorizationAnswer) {
    // A decision that arrived before the answer supersedes the request.
    guard let pending, pending.number == number else { return }
    switch answer {
    case .pending: break
    case .decided(let decided) where decided.status == .notDetermined: lapse(pending.request)
    case .decided(let decided):
      let keepsInUse =
        granted.status == .authorizedWhenInUse && decided.status == .authorizedWhenInUse
      // A lower authorization is a revocation, not just a refused upgrade.
      decide(decided)
      if keepsInUse { refuse(pending.request) }
    }
  }

  package mutating func take(_ update: AuthorizationUpdate) {
    switch update {
    case .decided(let decided): decide(decided)
    case .deniedGlobally: decide(Authorization(.denied), globally: true)
    case .refused(let request) where pending?.request == request: refuse(request)
    case .lapsed(let request) where pending?.request == request: lapse(request)
    case .refused, .lapsed: break
    case .fullAccuracyEnded: lease = nil
    case .mode(let new): mode = new
    }
  }

  private mutating func decide(_ decided: Authorization, globally: Bool = false) {
    // An unchanged decision, e.g. after a policy reload, answers no request.
    if decided.status != granted.status { pending = nil }
    if decided.status == .notDetermined { hasAskedAlways = false }
    if decided.status != .authorizedWhenInUse { isAlwaysDenied = false }
    // Temporary full accuracy ends with the authorization or with permanent full accuracy.
    if !decided.status.isAuthorized || decided.accuracy == .fullAccuracy { lease = nil }
    isDeniedGlobally = globally
    granted = decided
  }

  /// Refuses a request; a refused upgrade keeps the previous grant.
  private mutating func refuse(_ request: AuthorizationRequest) {
    guard granted.status == .authorizedWhenInUse else {
      return decide(Authorization(.denied, accuracy: granted.accuracy))
    }
    pending = nil
    isAlwaysDenied = true
  }

  private mutating func lapse(_ request: AuthorizationRequest) {
    pending = nil
    if request == .always { hasAskedAlways = false }
  }

  // MARK: Temporary full accuracy

  /// The error if full accuracy cannot be requested; `nil` if it can be requested.
  package var fullAccuracyRefusal: LocationError? {
    guard granted.status.isAuthorized else { return .denied }
    return isReduced ? nil : .promptDeclined
  }

  package mutating func answerFullAccuracy(_ number: UInt64, _ answer: FullAccuracyAnswer)
    -> LocationError?
  {
    // Since the request, authorization may have been revoked, or full accuracy granted otherwise.
    guard granted.status.isAuthorized else { return .denied }
    guard isReduced else { return nil }
    guard case .granted = answer else {
      isFullAccuracyDenied = true
      return .promptDeclined
    }
    isFullAccuracyDenied = false
    lease = number
    return nil
  }

  package mutating func endLease(_ number: UInt64) { if lease == number { lease = nil } }

  package mutating func disconnect() {
    pending = nil
    lease = nil
  }

  /// The diagnostics that concern authorization.
  var diagnostics: LocationDiagnostics {
    var reasons: LocationDiagnostics = []
    switch granted.status {
    case .notDetermined: reasons.insert(.authorizationNotDetermined)
    case .restricted: reasons.insert(.authorizationRestricted)
    case .denied: reasons.insert(.authorizationDenied)
    case .authorizedWhenInUse, .authorizedAlways: break
    }
    if granted.status.isAuthorized, isReduced { reasons.insert(.accuracyLimited) }
    if isDeniedGlobally { reasons.insert(.authorizationDeniedGlobally) }
    if mode == .unreachable { reasons.insert(.daemonUnreachable) }
    if pending != nil { reasons.insert(.authorizationRequestInProgress) }
    if isAlwaysDenied { reasons.insert(.alwaysAuthorizationDenied) }
    if isFullAccuracyDenied, isReduced { reasons.insert(.fullAccuracyDenied) }
    if isPurposeMissing, granted.status == .notDetermined { reasons.insert(.purposeMissing) }
    return reasons
  }
}
