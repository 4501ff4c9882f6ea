// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import NIOCore
internal import Positioning
internal import Synchronization

/// Runs the core: gives it events one after another and does what it says.
///
/// Events are handled on one event loop, which nothing here blocks.
final class ServerShell: Sendable {
  /// The other end of a connection.
  struct Peer: Sendable {
    var channel: any Channel
    var process: PeerProcess
    /// `nil` where it is not certain which process it is: it is told that and nothing else.
    var token: ProcessToken?
  }

  private struct State {
    var core: ServerCore
    var events: [ServerCore.Event] = []
    var isRunning = false
    var lastID: UInt64 = 0
    var peers: [ServerCore.ConnectionID: Peer] = [:]
    var policies = OpenPolicies<ServerClient.Key, PolicyFiles>()
    /// Requests for full accuracy that are waited for; a connection has one at most.
    var asking: [ServerCore.ConnectionID: Task<Void, Never>] = [:]
    var timer: (deadline: MonotonicTime, scheduled: Scheduled<Void>)?
    /// How many events are on their way to the loop.
    var submittedCount = 0
    /// Which of the reduced locations has been handed on.
    var reducedVersion: UInt64 = 0
  }

  let loop: any EventLoop
  private let policies: ClientPolicies
  private let now: @Sendable () -> MonotonicTime
  private let status: @Sendable () async -> ServerStatus
  private let reduced: @Sendable (Coordinate) -> Void
  private let runs: @Sendable (ProcessToken) -> Bool
  private let state: Mutex<State>

  init(
    core: ServerCore, loop: any EventLoop, policies: ClientPolicies,
    now: @escaping @Sendable () -> MonotonicTime,
    status: @escaping @Sendable () async -> ServerStatus,
    reduced: @escaping @Sendable (Coordinate) -> Void,
    runs: @escaping @Sendable (ProcessToken) -> Bool
  ) {
    self.loop = loop
    self.policies = policies
    self.now = now
    self.status = status
    self.reduced = reduced
    self.runs = runs
    state = Mutex(State(core: core))
  }

  var connectionCount: Int { state.withLock { $0.core.connections.count } }
  var refusedCount: Int { state.withLock { $0.core.refusedCount } }

  var droppedNoteCount: UInt64 { policies.droppedNoteCount }

  /// How many events are on their way to the loop.
  var submittedCount: Int { state.withLock { $0.submittedCount } }
  /// What a client has been granted; `nil` for one that is not connected, or whose files are being
  /// read.
  func granted(_ key: ServerClient.Key) -> Authorization? {
    state.withLock { $0.core.clients[key]?.state?.granted }
  }
  /// The fix that whoever comes later would be told.
  var newestFix: Fix? { state.withLock { $0.core.latest.fix } }

  /// Hands an event over, from any thread; returns at once.
  ///
  /// What the daemon says while nobody is connected is taken down where it is said, for whoever
  /// comes later: the loop need not be woken for it.
  func submit(_ event: ServerCore.Event) {
    let isTakenDown = state.withLock { state in
      // What is on its way was said before.
      guard case .said = event, state.core.isUnattended, !state.isRunning, state.events.isEmpty,
        state.submittedCount == 0
      else {
        state.submittedCount += 1
        return false
      }
      // With nobody to do it to there is nothing to be done, and nothing is reduced: the cell, which
      // may be waiting for the disk, is not needed.
      _ = state.core.handle(event, at: now())
      return true
    }
    guard !isTakenDown else { return }
    loop.execute { self.handle(event, isSubmitted: true) }
  }

  /// Hands over what a policy says, from any thread.
  ///
  /// Not where it has been closed by then: the client may have come again, with a policy that has
  /// read the files since, and an older word would stand over a newer one for good.
  func submit(
    _ event: ServerCore.Event, of policy: PolicyFiles, for key: ServerClient.Key
  ) {
    state.withLock { $0.submittedCount += 1 }
    loop.execute {
      let isHeard = self.state.withLock { state in
        let isHeard = state.policies.hears(policy, of: key)
        if !isHeard { state.submittedCount -= 1 }
        return isHeard
      }
      if isHeard { self.handle(event, isSubmitted: true) }
    }
  }

  /// Takes a connection in; on the event loop.
  func connect(
    _ peer: Peer, owner: ConnectionOwner?
  ) -> Result<ServerCore.ConnectionID, DaemonFault> {
    let taken: Result<ServerCore.ConnectionID, DaemonFault> = state.withLock { state in
      state.lastID &+= 1
      let id = state.lastID
      if let fault = state.core.connect(id, owner: owner, at: now()) { return .failure(fault) }
      state.peers[id] = peer
      return .success(id)
    }
    if case .success(let id) = taken { handle(.connected(id)) }
    return taken
  }

  /// Handles an event, on the event loop; what is caused meanwhile comes behind.
  func handle(_ event: ServerCore.Event, isSubmitted: Bool = false) {
    let starts = state.withLock { state in
      // In one step with what follows: what is said between the two would overtake the event.
      if isSubmitted { state.submittedCount -= 1 }
      state.events.append(event)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    while let actions = next() { for action in actions { perform(action) } }
    policies.saveReducedCell()
    setTimer()
    if let cell = newCell() { reduced(cell) }
  }

  /// The middle of the cell of a reduced location that has not been handed on.
  private func newCell() -> Coordinate? {
    state.withLock { state in
      guard state.reducedVersion != state.core.latest.reducedVersion else { return nil }
      state.reducedVersion = state.core.latest.reducedVersion
      return state.core.latest.reduced?.coordinate
    }
  }

  private func next() -> [ServerCore.Action]? {
    var now = self.now()
    let isChoosing = state.withLock {
      !$0.events.isEmpty && $0.core.latest.reducer.isDue(at: now)
    }
    if isChoosing {
      // Not with the lock held: a slow disk would hold up who says something.
      policies.reducedCell.readAnew()
      now = self.now()
    }
    return state.withLock { [now] state in
      guard !state.events.isEmpty else {
        state.isRunning = false
        return nil
      }
      let event = state.events.removeFirst()
      if case .closed(let id) = event {
        state.peers[id] = nil
        // Nobody waits for the answer any more.
        state.asking.removeValue(forKey: id)?.cancel()
      }
      return decide(event, &state, now)
    }
  }

  private func decide(
    _ event: ServerCore.Event, _ state: inout State, _ now: MonotonicTime
  ) -> [ServerCore.Action] {
    policies.reducedCell.lend(isChoosing: false) { memory in
      state.core.latest.reducer.memory = memory
      let actions = state.core.handle(event, at: now)
      memory = state.core.latest.reducer.memory
      return actions
    }
  }

  private func setTimer() {
    let (deadline, old) = state.withLock { ($0.core.nextDeadline, $0.timer) }
    guard deadline != old?.deadline else { return }
    old?.scheduled.cancel()
    guard let deadline else { return state.withLock { $0.timer = nil } }
    let wait = max(deadline.nanoseconds &- now().nanoseconds, 0)
    let scheduled = loop.scheduleTask(in: .nanoseconds(wait)) {
      self.state.withLock { $0.timer = nil }
      self.handle(.timeOver)
    }
    state.withLock { $0.timer = (deadline, scheduled) }
  }

  // MARK: Doing

  private func perform(_ action: ServerCore.Action) {
    switch action {
    case .write(let id, let bytes): write(bytes, to: id)
    case .close(let id), .abort(let id): channel(id)?.close(promise: nil)
    case .openPolicy(let key, let base): open(key, base)
    case .closePolicy(let key):
      state.withLock { $0.policies.close(key) }?.cancel()
    case .ask(let key, let request, let purpose, let number):
      guard let policy = policy(key) else { return }
      Task {
        let answer = await policy.answer(request, purpose: purpose)
        self.submit(.answered(key, number, answer), of: policy, for: key)
      }
    case .askFullAccuracy(let id, let key, let purposeKey, let number):
      askFullAccuracy(id, key, purposeKey, number)
    case .note(let key, let use): policy(key)?.note(use)
    case .readStatus(let id):
      Task { self.submit(.status(id, await self.status())) }
    }
  }

  private func channel(_ id: ServerCore.ConnectionID) -> (any Channel)? {
    state.withLock { $0.peers[id]?.channel }
  }

  func policy(_ key: ServerClient.Key) -> PolicyFiles? {
    state.withLock { $0.policies.policy(of: key) }
  }

  private func write(_ bytes: [UInt8], to id: ServerCore.ConnectionID) {
    guard let peer = state.withLock({ $0.peers[id] }) else { return }
    let channel = peer.channel
    // The process may have ended and left the connection to one that no rule or answer is about.
    if let token = peer.token, !peer.process.isRunning(orElse: { runs(token) }) {
      return channel.close(promise: nil)
    }
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { result in
      switch result {
      case .success: self.handle(.written(id))
      case .failure: channel.close(promise: nil)
      }
    }
  }

  private func open(_ key: ServerClient.Key, _ base: AuthorizationStatus?) {
    policies.open(key.identity, process: key.process, base: base) { policy in
      let asksOperator = policy.operatorRequests
      self.loop.execute { self.opened(key, policy, asksOperator) }
    }
  }

  private func opened(
    _ key: ServerClient.Key, _ policy: PolicyFiles, _ asksOperator: OperatorRequests
  ) {
    // Gone and come again: the files have been read twice.
    guard self.policy(key) == nil else { return }
    let updates = policy.updates()
    let told = policy.told
    let listening = Task {
      for await update in updates { self.submit(.policy(key, update), of: policy, for: key) }
    }
    state.withLock { $0.policies.open(key, policy, listening) }
    handle(
      .policyOpened(
        key, told.authorization, isDeniedGlobally: told.origin == .switchedOff,
        asksOperator: asksOperator))
  }

  private func askFullAccuracy(
    _ id: ServerCore.ConnectionID, _ key: ServerClient.Key, _ purposeKey: String, _ number: UInt64
  ) {
    guard let policy = policy(key) else { return }
    let asking = Task {
      let answer = await policy.decideFullAccuracy(purposeKey: purposeKey)
      self.submit(.answeredFullAccuracy(key, number, answer), of: policy, for: key)
    }
    // It may have closed by now, and would not be cancelled any more.
    let isThere = state.withLock { state in
      guard state.peers[id] != nil else { return false }
      state.asking[id] = asking
      return true
    }
    if !isThere { asking.cancel() }
  }

  /// Waits until what clients may know has been decided and noted, as far as it was asked by now.
  func flushPolicies() async { await policies.flush() }

  /// Ends all connections, and waits until the log has been written.
  func end() async {
    let channels = state.withLock { $0.peers.values.map(\.channel) }
    for channel in channels { try? await channel.close().get() }
    await policies.flush()
  }
}
