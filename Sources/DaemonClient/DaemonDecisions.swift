// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Decides what a program is told of the daemon's word, and what it asks: events in, actions out.
struct DaemonDecisions: Equatable, Sendable {
  /// A request on its way to the daemon.
  struct Question: Equatable, Sendable {
    var request: AuthorizationRequest
    var purpose: String
    /// Whether the daemon is to say only what holds: what an operator says may take long.
    var isBrief: Bool
  }

  /// What holds, as the program was told.
  private(set) var told: DaemonAuthorization
  /// What the program has requested, with what for: a daemon that comes back is asked again.
  private var requested: [AuthorizationRequest: String] = [:]
  /// The requests that nobody has answered.
  private var open: [AuthorizationRequest: String] = [:]
  private var asking: Set<AuthorizationRequest> = []
  /// Whether a daemon that has come back is asked what it would grant, and that is not told yet.
  private var isHolding = false
  /// What the daemon said meanwhile.
  private var withheld: DaemonAuthorization?

  init(_ told: DaemonAuthorization) { self.told = told }

  /// The program may know nothing.
  mutating func restrict() -> AuthorizationUpdate {
    told = DaemonAuthorization(Authorization(.restricted))
    return told.decision
  }

  mutating func request(_ request: AuthorizationRequest, purpose: String) {
    (requested[request], open[request]) = (purpose, purpose)
  }

  /// Begins to ask for what is open still; `nil` where it is not, or is asked for already.
  mutating func ask(_ request: AuthorizationRequest) -> Question? {
    guard let purpose = open[request], asking.insert(request).inserted else { return nil }
    return Question(request: request, purpose: purpose, isBrief: isHolding)
  }

  /// Gives up a question whose asker has gone.
  mutating func giveUp(_ question: Question) { asking.remove(question.request) }

  /// Takes what came of a question.
  mutating func take(
    _ result: Result<DaemonAuthorization, DaemonClientError>, of question: Question,
    longestWait: Duration
  ) -> (AuthorizationAnswer, [DaemonAction]) {
    let request = question.request
    asking.remove(request)
    switch result {
    case .success(let word):
      // The stream tells of anything else, in its order.
      var actions: [DaemonAction] = []
      if word.authorization.status == .notDetermined, isHolding {
        isHolding = false
        actions = take(word, isFirst: false)
      }
      // It waits on at the daemon, and the stream tells. Whoever asks is told whether it lapses.
      if word.isPending {
        return (.pending, actions + (question.isBrief ? [.ask(request, after: nil)] : []))
      }
      open[request] = nil
      return (.decided(word.authorization), actions)
    case .failure(let error) where error.isRejection:
      open[request] = nil
      return (
        .decided(Authorization(.notDetermined)), [.report("\(error)")] + release()
      )
    case .failure(let error):
      // Where the connection is lost the next one says what holds.
      let isLost =
        switch error {
        case .noDaemon, .disconnected, .silent: true
        default: false
        }
      return (.pending, (isLost ? [] : release()) + [.ask(request, after: longestWait)])
    }
  }

  /// Tells what was withheld, where the daemon does not say what it would grant.
  private mutating func release() -> [DaemonAction] {
    let word = isHolding ? withheld : nil
    (isHolding, withheld) = (false, nil)
    return word.map { take($0, isFirst: false) } ?? []
  }

  /// Takes the daemon's word on the stream.
  ///
  /// A rule may decide only about a program that has asked. To a daemon that has come back this one
  /// has not: it asks again, and until the answer nothing has changed.
  mutating func take(_ word: DaemonAuthorization, isFirst: Bool) -> [DaemonAction] {
    let before = told
    let status = word.authorization.status
    var actions: [DaemonAction] = []
    if isFirst {
      if status == .notDetermined { open.merge(requested) { purpose, _ in purpose } }
      isHolding =
        status == .notDetermined && before.authorization.status.isAuthorized && !open.isEmpty
      actions = [.arrive(.connected)] + open.keys.map { .ask($0, after: nil) }
    }
    if isHolding, status == .notDetermined {
      withheld = word
      return actions
    }
    (isHolding, withheld, told) = (false, nil, word)
    if !isFirst, !status.isAuthorized, !word.isPending { requested = [:] }
    switch status {
    case .notDetermined: break
    case .authorizedWhenInUse: open[.whenInUse] = nil
    case .authorizedAlways, .denied, .restricted: open = [:]
    }
    var updates: [AuthorizationUpdate] = []
    // The daemon's word counts full accuracy for a while: that is over here.
    if status.isAuthorized, !word.isFull { updates.append(.fullAccuracyEnded) }
    if isFirst || before.decision != word.decision { updates.append(word.decision) }
    return actions + [.tell(updates)] + (word.isFull ? [.arrive(.full)] : [])
  }
}

extension DaemonAuthorization {
  /// As a policy says it.
  var decision: AuthorizationUpdate {
    isDeniedGlobally ? .deniedGlobally : .decided(authorization)
  }

  /// Whether full accuracy is granted.
  var isFull: Bool {
    authorization.status.isAuthorized && authorization.accuracy == .fullAccuracy
  }
}
