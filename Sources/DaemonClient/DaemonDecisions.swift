// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Decides which authorization changes a program is notified of, and which requests are sent to the
/// daemon: events in, actions out.
struct DaemonDecisions: Equatable, Sendable {
  /// A request to the daemon that is in progress.
  struct Question: Equatable, Sendable {
    var request: AuthorizationRequest
    var purpose: String
    /// Whether the daemon is to answer at once, without waiting for an operator's decision.
    var isImmediate: Bool
  }

  /// The authorization that the program was last notified of.
  private(set) var current: DaemonAuthorization
  /// The program's requests and their purposes, which are repeated after a reconnect.
  private var requested: [AuthorizationRequest: String] = [:]
  /// The requests that are undecided, and their purposes.
  private var open: [AuthorizationRequest: String] = [:]
  private var inProgress: Set<AuthorizationRequest> = []
  /// Whether a new authorization is withheld from the program until its requests, which are
  /// repeated after a reconnect, are answered.
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

  /// Starts to send an undecided request; `nil` if it is decided, or already in progress.
  mutating func ask(_ request: AuthorizationRequest) -> Question? {
    guard let purpose = open[request], inProgress.insert(request).inserted else { return nil }
    return Question(request: request, purpose: purpose, isImmediate: isWithholding)
  }

  /// Handles the cancellation of a request in progress, which remains undecided.
  mutating func cancel(_ question: Question) { inProgress.remove(question.request) }

  /// Handles the result of a request.
  mutating func take(
    _ result: Result<DaemonAuthorization, DaemonClientError>, of question: Question,
    longestWait: Duration
  ) -> (AuthorizationAnswer, [DaemonAction]) {
    let request = question.request
    inProgress.remove(request)
    switch result {
    case .success(let answer):
      // All other changes arrive on the stream, in their order.
      var actions: [DaemonAction] = []
      if answer.authorization.status == .notDetermined, isWithholding {
        isWithholding = false
        actions = take(answer, isFirst: false)
      }
      // The request stays pending at the daemon. It is sent again with a timeout, to learn whether
      // it lapses.
      if answer.isPending {
        return (.pending, actions + (question.isImmediate ? [.ask(request, after: nil)] : []))
      }
      open[request] = nil
      return (.decided(answer.authorization), actions)
    case .failure(let error) where error.isRejection:
      open[request] = nil
      return (
        .decided(Authorization(.notDetermined)), [.report("\(error)")] + release()
      )
    case .failure(let error):
      // After a lost connection, the next one reports the authorization.
      let isLost =
        switch error {
        case .noDaemon, .disconnected, .silent: true
        default: false
        }
      return (.pending, (isLost ? [] : release()) + [.ask(request, after: longestWait)])
    }
  }

  /// Notifies the program of a withheld authorization, after its repeated request has failed.
  private mutating func release() -> [DaemonAction] {
    let authorization = isWithholding ? withheld : nil
    (isWithholding, withheld) = (false, nil)
    return authorization.map { take($0, isFirst: false) } ?? []
  }

  /// Handles an authorization on the stream; `isFirst` is whether it is a connection's first.
  ///
  /// Some rules apply only after a request. A restarted daemon has no request of this program, and
  /// reports it as undecided. The requests are then repeated, and the program is not notified until
  /// they are answered.
  mutating func take(_ authorization: DaemonAuthorization, isFirst: Bool) -> [DaemonAction] {
    let before = current
    let status = authorization.authorization.status
    var actions: [DaemonAction] = []
    if isFirst {
      if status == .notDetermined { open.merge(requested) { purpose, _ in purpose } }
      isWithholding =
        status == .notDetermined && before.authorization.status.isAuthorized && !open.isEmpty
      actions = [.signal(.connected)] + open.keys.map { .ask($0, after: nil) }
    }
    if isWithholding, status == .notDetermined {
      withheld = authorization
      return actions
    }
    (isWithholding, withheld, current) = (false, nil, authorization)
    if !isFirst, !status.isAuthorized, !authorization.isPending { requested = [:] }
    switch status {
    case .notDetermined: break
    case .authorizedWhenInUse: open[.whenInUse] = nil
    case .authorizedAlways, .denied, .restricted: open = [:]
    }
    var updates: [AuthorizationUpdate] = []
    // The daemon's authorization includes temporary full accuracy. Without it, a lease has ended.
    if status.isAuthorized, !authorization.isFull { updates.append(.fullAccuracyEnded) }
    if isFirst || before.decision != authorization.decision {
      updates.append(authorization.decision)
    }
    return actions + [.notify(updates)] + (authorization.isFull ? [.signal(.full)] : [])
  }
}

extension DaemonAuthorization {
  /// The authorization as an update of a policy.
  var decision: AuthorizationUpdate {
    isDeniedGlobally ? .deniedGlobally : .decided(authorization)
  }

  /// Whether full accuracy is granted.
  var isFull: Bool {
    authorization.status.isAuthorized && authorization.accuracy == .fullAccuracy
  }
}
