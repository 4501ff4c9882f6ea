// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
public import LocationServices
internal import Positioning
internal import Synchronization

/// Telling what is decided.
extension DaemonSession {
  /// Starts to call back with what is decided, each in its place among what is delivered.
  ///
  /// - Parameter take: Takes each update; first what is different from when the session was made.
  /// - Returns: Goes on for as long as this is held.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    order.withLock { _ in
      let (id, updates) = state.withLock { state in
        state.nextID &+= 1
        state.listeners[state.nextID] = take
        return (state.nextID, since(state))
      }
      for update in updates { take(update) }
      return PolicyListening { [weak self] in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }

  /// What has come since the session was made.
  private func since(_ state: State) -> [AuthorizationUpdate] {
    var updates: [AuthorizationUpdate] = []
    if state.choice.mode != mode { updates.append(.mode(state.choice.mode)) }
    if state.told.authorization != initialAuthorization
      || state.told.isDeniedGlobally != isDeniedGlobally
    {
      updates.append(state.told.decision)
    }
    return updates
  }

  /// Tells all who listen; called while the order is kept.
  private func tell(_ updates: [AuthorizationUpdate]) {
    let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key }.map(\.value) }
    for update in updates { for listener in listeners { listener(update) } }
  }

  func turn(_ mode: AuthorizationMode) {
    if mode != .cooperative {
      let (policy, listening) = state.withLock { state in
        defer { (state.policy, state.listening) = (nil, nil) }
        _ = state.notes.begin(with: [])
        return (state.policy, state.listening)
      }
      listening?.end()
      withExtendedLifetime(policy) {}
    }
    tell([.mode(mode)])
  }

  func restrict() {
    let told = DaemonAuthorization(Authorization(.restricted))
    state.withLock { $0.told = told }
    tell([told.decision])
  }

  /// Takes the daemon's word.
  func take(_ told: DaemonAuthorization, isFirst: Bool) {
    typealias Told = (updates: [AuthorizationUpdate], waiting: [AsyncStream<Arrival>.Continuation])
    let (updates, waiting): Told = state.withLock { state in
      let before = state.told
      if isFirst { state.begin(told, after: before) }
      if state.isHolding, told.authorization.status == .notDetermined {
        state.withheld = told
        return ([], [])
      }
      (state.isHolding, state.withheld) = (false, nil)
      state.told = told
      if !isFirst, !told.authorization.status.isAuthorized, !told.isPending {
        state.requested = [:]
      }
      state.forgetAnswered(told.authorization.status)
      let isFull =
        told.authorization.status.isAuthorized && told.authorization.accuracy == .fullAccuracy
      var updates: [AuthorizationUpdate] = []
      // What the daemon says counts full accuracy for a while: it has not outlasted this.
      if told.authorization.status.isAuthorized, !isFull { updates.append(.fullAccuracyEnded) }
      if isFirst || before.decision != told.decision { updates.append(told.decision) }
      return (updates, isFull ? Array(state.fullAccuracy.values) : [])
    }
    tell(updates)
    for waiter in waiting { waiter.yield(.full) }
  }

  /// Tells what was withheld, where the daemon does not say what it would grant.
  func tellWithheld() {
    order.withLock { _ in
      let withheld = state.withLock { state in
        defer { (state.isHolding, state.withheld) = (false, nil) }
        return state.isHolding ? state.withheld : nil
      }
      if let withheld { take(withheld, isFirst: false) }
    }
  }

  // MARK: A policy in this process

  func listen(to policy: any AuthorizationPolicy) {
    let listening = policy.listen { [weak self] in self?.takeInProcess($0) }
    state.withLock { $0.listening = listening }
  }

  /// Decides in this process, from when no daemon was found after all.
  func decideInProcess() {
    guard state.withLock({ $0.choice.standing == .process && $0.policy == nil }),
      let policy = alternative?.policy()
    else { return }
    let held = DaemonAuthorization(
      policy.initialAuthorization, isDeniedGlobally: policy.isDeniedGlobally)
    order.withLock { _ in
      // In one step: what is done from here on comes behind what goes on already.
      let isTeller = state.withLock { state in
        (state.policy, state.told) = (policy, held)
        return state.notes.begin(with: state.goingOn)
      }
      if isTeller { tellNotes() }
      tell([held.decision])
    }
    listen(to: policy)
  }

  /// Tells the policy in this process what the program does, until nothing is left.
  func tellNotes() {
    while let (policy, use) = state.withLock({ $0.nextNote() }) { policy?.note(use) }
  }

  private func takeInProcess(_ update: AuthorizationUpdate) {
    order.withLock { _ in
      let isHeard = state.withLock { state in
        guard state.choice.standing == .process else { return false }
        switch update {
        case .decided(let decided):
          (state.told.authorization, state.told.isDeniedGlobally) = (decided, false)
          state.forgetAnswered(decided.status)
        case .deniedGlobally:
          (state.told.authorization, state.told.isDeniedGlobally) = (Authorization(.denied), true)
          state.open = [:]
        case .refused(let request), .lapsed(let request): state.open[request] = nil
        case .fullAccuracyEnded, .mode: break
        }
        return true
      }
      if isHeard { tell([update]) }
    }
  }

  func tellInOrder(_ updates: [AuthorizationUpdate]) { order.withLock { _ in tell(updates) } }
}

extension DaemonSession.State {
  /// What the program does at present, for a policy that has heard of nothing.
  fileprivate var goingOn: [ServiceUse] {
    (activity.map { [.activityBegan(reason: $0)] } ?? [])
      + uses.sorted { $0.rawValue < $1.rawValue }.map { .started($0) }
  }

  /// What is to be told next, and whom: nobody, where the policy has just been let go.
  fileprivate mutating func nextNote() -> ((any AuthorizationPolicy)?, ServiceUse)? {
    notes.next().map { (policy, $0) }
  }

  /// Takes the first word of a connection.
  ///
  /// A rule decides about who has asked, and this program has, of a daemon that has not outlasted it:
  /// asked again it says what holds. Until then nothing has changed.
  mutating func begin(_ told: DaemonAuthorization, after before: DaemonAuthorization) {
    for waiter in fullAccuracy.values { waiter.yield(.connected) }
    let isOpen = told.authorization.status == .notDetermined
    if isOpen { open.merge(requested) { purpose, _ in purpose } }
    isHolding = isOpen && before.authorization.status.isAuthorized && !open.isEmpty
    for request in open.keys { jobs?.yield(.ask(request, after: nil)) }
  }

  /// Nobody needs to be asked any more for what is decided.
  mutating func forgetAnswered(_ status: AuthorizationStatus) {
    switch status {
    case .notDetermined: break
    case .authorizedWhenInUse: open[.whenInUse] = nil
    case .authorizedAlways, .denied, .restricted: open = [:]
    }
  }
}

extension DaemonAuthorization {
  /// As a policy says it.
  var decision: AuthorizationUpdate {
    isDeniedGlobally ? .deniedGlobally : .decided(authorization)
  }
}

extension DaemonSession: ReducedCellKeeper {
  /// The cell of the policy in this process; what the daemon sends is reduced by its own.
  package var reducedCell: ReducedCell {
    (state.withLock { $0.policy } as? any ReducedCellKeeper)?.reducedCell ?? .ofProcess
  }
}
