// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Decides which authorization changes are reported to the program, and which requests are sent to
/// the daemon.
///
/// Takes events as input and returns actions.
struct DaemonDecisions: Equatable, Sendable {
  /// The authorization that was last reported to the program.
  private(set) var current: DaemonAuthorization
  /// The purposes of the program's requests, by request.
  ///
  /// The requests are repeated after a reconnect.
  private var requested: [AuthorizationRequest: String] = [:]
  /// The purposes of the undecided requests, by request.
  private var open: [AuthorizationRequest: String] = [:]
  private var inProgress: Set<AuthorizationRequest> = []
  /// Whether a new authorization is withheld from the program until the daemon has responded to the
  /// program's requests, which are repeated after a reconnect.
  private var isWithholding = false
  /// The last authorization that was withheld from the program.
  private var withheld: DaemonAuthorization?

  init(_ current: DaemonAuthorization) { self.current = current }

  /// Sets the authorization to restricted.
  mutating func restrict() -> AuthorizationUpdate {
    current = DaemonAuthorization(Authorization(.restricted))
    return current.decision
  }

  mutating func request(_ request: AuthorizationRequest, purpose: String) {
    (requested[request], open[request]) = (purpose, purpose)
  }

  /// Starts an undecided request.
  ///
  /// Returns the purpose; `nil` if the request is decided or already in progress.
  mutating func beginRequest(_ request: AuthorizationRequest) -> String? {
    guard let purpose = open[request], inProgress.insert(request).inserted else { return nil }
    return purpose
  }

  /// Handles the result of a request; `nil` if the request was cancelled, and remains undecided.
  ///
  /// If `isStreaming`, the daemon's stream reports the decision on a pending request.
  mutating func handle(
    _ result: Result<DaemonAuthorization, DaemonClientError>?, of request: AuthorizationRequest,
    isStreaming: Bool, longestWait: Duration
  ) -> (AuthorizationAnswer, [DaemonAction]) {
    inProgress.remove(request)
    switch result {
    case nil: return (.pending, [])
    case .success(let answer):
      // Authorizations other than not determined arrive on the stream, in the right order.
      var actions: [DaemonAction] = []
      if answer.authorization.status == .notDetermined, isWithholding {
        isWithholding = false
        actions = handle(answer, isFirst: false)
      }
      if answer.isPending { return (.pending, actions) }
      open[request] = nil
      // Without a stream, the decision itself is what was last reported to the program. The daemon
      // may forget the request before the stream starts, and then report it as not determined.
      if !isStreaming { current = answer }
      return (.decided(answer.authorization), actions)
    case .failure(let error) where error.isRejection:
      open[request] = nil
      return (
        .decided(Authorization(.notDetermined)), [.report("\(error)")] + release()
      )
    case .failure(let error):
      // If the connection was lost, the next connection reports the authorization.
      let isLost =
        switch error {
        case .noDaemon, .disconnected, .silent: true
        default: false
        }
      return (.pending, (isLost ? [] : release()) + [.sendRequest(request, after: longestWait)])
    }
  }

  /// Notifies the program of a withheld authorization after the program's repeated request has
  /// failed.
  private mutating func release() -> [DaemonAction] {
    let authorization = isWithholding ? withheld : nil
    (isWithholding, withheld) = (false, nil)
    return authorization.map { handle($0, isFirst: false) } ?? []
  }

  /// Handles an authorization from the stream.
  ///
  /// `isFirst` is true for the first authorization of a connection.
  ///
  /// Some rules apply only after a request. A restarted daemon has not received this program's
  /// requests, so it reports the authorization as not determined. In this case the requests are
  /// repeated, and the program is not notified until the daemon has responded to them.
  mutating func handle(_ authorization: DaemonAuthorization, isFirst: Bool) -> [DaemonAction] {
    let before = current
    let status = authorization.authorization.status
    var actions: [DaemonAction] = []
    if isFirst {
      if status == .notDetermined { open.merge(requested) { purpose, _ in purpose } }
      isWithholding =
        status == .notDetermined && before.authorization.status.isAuthorized && !open.isEmpty
      actions = [.signal(.connected)] + open.keys.map { .sendRequest($0, after: nil) }
    }
    if isWithholding, status == .notDetermined {
      withheld = authorization
      return actions
    }
    (isWithholding, withheld, current) = (false, nil, authorization)
    if !isFirst, !status.isAuthorized, !authorization.isPending { requested = [:] }
    switch status {
    case .authorizedWhenInUse: open[.whenInUse] = nil
    case .authorizedAlways, .denied, .restricted: open = [:]
    case .notDetermined: break
    }
    var updates: [AuthorizationUpdate] = []
    // The daemon's authorization includes temporary full accuracy. If the accuracy is reduced, any
    // temporary full accuracy has ended.
    if status.isAuthorized, !authorization.isFull { updates.append(.fullAccuracyEnded) }
    if isFirst || before.decision != authorization.decision {
      updates.append(authorization.decision)
    }
    // The wait for an operator has ended, and what is still open was not granted.
    if !isFirst, before.isPending, !authorization.isPending {
      updates += open.keys.map { status == .notDetermined ? .lapsed($0) : .refused($0) }
      open = [:]
    }
    return actions + [.notify(updates)] + (authorization.isFull ? [.signal(.fullAccuracy)] : [])
  }
}

extension DaemonAuthorization {
  /// The authorization as an update from a policy.
  var decision: AuthorizationUpdate {
    isDeniedGlobally ? .deniedGlobally : .decided(authorization)
  }

  /// Whether full accuracy is granted.
  var isFull: Bool {
    authorization.status.isAuthorized && authorization.accuracy == .fullAccuracy
  }
}
