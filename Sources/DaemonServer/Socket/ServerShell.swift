// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Glibc
internal import LocationServices
internal import NIOCore
internal import Positioning
internal import Synchronization

/// Runs the core: passes events to the core one at a time, and performs the core's actions.
///
/// Events are handled on one event loop without blocking it. A published event without recipients,
/// or with only feeds as recipients, is handled on the publishing thread if no other event is being
/// handled: a change of threads would delay each position.
final class ServerShell: Sendable {
  private struct SubmittedEvent {
    var event: ServerCore.Event
    /// The policy that an event comes from, and its client; `nil` for other events.
    var origin: (policy: PolicyFiles, key: ServerClient.Key)?
  }

  private struct State {
    var core: ServerCore
    /// The submitted events that have not been handled yet.
    var submitted = CircularBuffer<SubmittedEvent>()
    /// The events of the event loop that have not been handled yet, before those submitted.
    ///
    /// If a written frame had to wait for submitted events, their frames would fill the queue of the
    /// connection.
    var events = CircularBuffer<ServerCore.Event>()
    /// Whether a thread handles events, or the event loop is about to.
    var isHandling = false
    /// The core's next deadline when the last event had been handled.
    var deadline: MonotonicTime?
    var lastID: UInt64 = 0
    var peers: [ServerCore.ConnectionID: ServerPeer] = [:]
    /// The current policy of each client, and the subscription to its updates.
    var policies: [ServerClient.Key: (policy: PolicyFiles, listening: PolicyListening)] = [:]
    /// Pending requests for full accuracy, at most one per connection.
    var fullAccuracyTasks: [ServerCore.ConnectionID: Task<Void, Never>] = [:]
    var timer: (deadline: MonotonicTime, scheduled: Scheduled<Void>)?
    /// The version of the last reduced location that was passed to `reduced`.
    var reducedVersion: UInt64 = 0
    /// The last value that was passed to `sentencesWanted`.
    var wantsSentences = false

    var hasEvents: Bool { !events.isEmpty || !submitted.isEmpty }

    /// Queues an event, and returns the same as ``startHandling()``.
    mutating func submit(_ event: SubmittedEvent) -> Bool {
      submitted.append(event)
      return startHandling()
    }

    /// Returns whether the caller must let the event loop handle the queued events.
    mutating func startHandling() -> Bool {
      defer { isHandling = true }
      return !isHandling
    }

    /// Removes and returns the next event; ends the handling if there is none.
    mutating func nextEvent() -> ServerCore.Event? {
      if let event = events.popFirst() { return event }
      while let next = submitted.popFirst() {
        guard let (policy, key) = next.origin, policies[key]?.policy !== policy else {
          return next.event
        }
      }
      // While the publishing thread writes, the write would hide other deadlines of the connection.
      (isHandling, deadline) = (false, core.nextDeadline)
      return nil
    }
  }

  let loop: any EventLoop
  private let policyStore: PolicyStore
  private let web: WebShell
  private let now: @Sendable () -> MonotonicTime
  private let status: @Sendable () async -> ServerStatus
  private let metrics: @Sendable () async -> ServerStatus
  private let reduced: @Sendable (Coordinate) -> Void
  private let runs: @Sendable (ProcessToken) -> Bool
  private let sentencesWanted: @Sendable (Bool) -> Void
  private let state: Mutex<State>

  init(
    core: ServerCore, loop: any EventLoop, policyStore: PolicyStore,
    now: @escaping @Sendable () -> MonotonicTime,
    status: @escaping @Sendable () async -> ServerStatus,
    metrics: @escaping @Sendable () async -> ServerStatus = { ServerStatus() },
    reduced: @escaping @Sendable (Coordinate) -> Void,
    runs: @escaping @Sendable (ProcessToken) -> Bool,
    sentencesWanted: @escaping @Sendable (Bool) -> Void = { _ in },
    places: @escaping @Sendable (Coordinate) -> [UInt8] = { _ in [] }
  ) {
    web = WebShell(policyStore: policyStore, places: places)
    self.sentencesWanted = sentencesWanted
    self.loop = loop
    self.policyStore = policyStore
    self.now = now
    self.status = status
    self.metrics = metrics
    self.reduced = reduced
    self.runs = runs
    state = Mutex(State(core: core))
  }

  var connectionCount: Int { state.withLock { $0.core.server.connections.count } }
  var refusedCount: Int { state.withLock { $0.core.server.connections.refusedCount } }

  /// The numbers of clients of a protocol, and of frames dropped for slow clients.
  func feedCounts(_ feed: FeedProtocol) -> (clients: Int, drops: Int) {
    state.withLock { $0.core.server.connections.feedCounts(feed) }
  }

  var droppedNoteCount: UInt64 { policyStore.droppedNoteCount }
  /// The number of submitted events that the event loop has not handled yet.
  var submittedCount: Int { state.withLock { $0.submitted.count } }
  /// Whether a thread handles events, or the event loop is about to.
  var isHandlingEvents: Bool { state.withLock { $0.isHandling } }
  /// The authorization granted to a client; `nil` if the client is not connected or its policy is
  /// not open.
  func granted(_ key: ServerClient.Key) -> Authorization? {
    state.withLock { $0.core.server.clients[key]?.state?.granted }
  }
  /// The fix that would be sent to a new stream with full accuracy.
  var newestFix: Fix? { state.withLock { $0.core.server.latest.fix } }

  /// Admits or refuses a connection.
  ///
  /// Must be called on the event loop. Pass ``ServerCore/Event/connected(_:)`` to ``handle(_:)`` when
  /// the channel is active, because the event may close connections.
  func connect(
    _ peer: ServerPeer, owner: ConnectionOwner?, feed: FeedProtocol? = nil
  ) -> Result<ServerCore.ConnectionID, DaemonFault> {
    let result: Result<ServerCore.ConnectionID, DaemonFault> = state.withLock { state in
      state.lastID &+= 1
      let id = state.lastID
      if let fault = state.core.connect(id, owner: owner, feed: feed, at: now()) {
        return .failure(fault)
      }
      state.peers[id] = peer
      return .success(id)
    }
    if case .success(let id) = result {
      peer.channel.closeFuture.whenComplete { _ in self.handle(.closed(id)) }
    }
    return result
  }

  // MARK: Events

  /// Submits an event from any thread, and returns at once.
  func submit(_ event: ServerCore.Event) {
    let (actions, starts) = state.withLock { state -> ([ServerCore.Action]?, Bool) in
      guard !state.isHandling, state.core.publishesWithoutLoop(event) else {
        return (nil, state.submit(SubmittedEvent(event: event)))
      }
      // Later events are queued until the actions are performed.
      state.isHandling = true
      return (state.core.handle(event, at: now()), false)
    }
    if let actions { performDirectly(actions) }
    if starts { loop.execute { self.handleQueuedEvents() } }
  }

  /// Submits an event from a policy, from any thread.
  ///
  /// An event of a policy that is not the client's current policy is ignored: the client may have
  /// reconnected, and an old event would override the state of the client's new policy.
  func submit(_ event: ServerCore.Event, of policy: PolicyFiles, for key: ServerClient.Key) {
    let starts = state.withLock { $0.submit(.init(event: event, origin: (policy, key))) }
    if starts { loop.execute { self.handleQueuedEvents() } }
  }

  /// Performs the actions of a published event on the publishing thread.
  ///
  /// The event loop writes the bytes that a socket does not accept at once. The core starts no
  /// other write to that connection until these bytes are written, so the order is kept.
  private func performDirectly(_ actions: [ServerCore.Action]) {
    var pending = actions
    var isComplete = true
    while !pending.isEmpty {
      var next: [ServerCore.Action] = []
      for action in pending {
        guard case .write(let id, let bytes) = action else {
          perform(action)
          continue
        }
        let socket = peer(id).flatMap { $0.isRunning(runs) ? $0.direct : nil }
        let unsent = socket?.write(bytes) ?? bytes[...]
        if unsent.isEmpty {
          next += state.withLock { $0.core.handle(.written(id), at: now()) }
        } else {
          isComplete = false
          loop.execute { self.write(Array(unsent), to: id) }
        }
      }
      pending = next
    }
    let needsLoop = state.withLock { state in
      state.isHandling = !isComplete || state.hasEvents
      return state.isHandling
    }
    if needsLoop { loop.execute { self.handleQueuedEvents() } }
  }

  /// Handles an event.
  ///
  /// Must be called on the event loop.
  ///
  /// Events that are caused by the resulting actions are queued and handled afterwards.
  func handle(_ event: ServerCore.Event) {
    let starts = state.withLock { state in
      state.events.append(event)
      return state.startHandling()
    }
    if starts { handleQueuedEvents() }
  }

  private func handleQueuedEvents() {
    while let actions = nextActions() { for action in actions { perform(action) } }
    policyStore.saveReducedCell()
    setTimer()
    if let cell = takeNewCell() { reduced(cell) }
    reportSentencesWanted()
    web.followRequests(state.withLock { $0.core.wantsRequests }) { [weak self] in
      self?.submit(.web($0))
    }
  }

  private func reportSentencesWanted() {
    let changed = state.withLock { state -> Bool? in
      let wantsSentences = state.core.wantsSentences
      guard wantsSentences != state.wantsSentences else { return nil }
      state.wantsSentences = wantsSentences
      return wantsSentences
    }
    if let changed { sentencesWanted(changed) }
  }

  /// Returns the centre of the current grid cell if `reduced` was not called with this centre yet;
  /// otherwise `nil`.
  private func takeNewCell() -> Coordinate? {
    state.withLock { state in
      guard state.reducedVersion != state.core.server.latest.reducedVersion else { return nil }
      state.reducedVersion = state.core.server.latest.reducedVersion
      return state.core.server.latest.reduced?.coordinate
    }
  }

  private func nextActions() -> [ServerCore.Action]? {
    var now = self.now()
    let isUpdateDue = state.withLock {
      $0.hasEvents && $0.core.server.latest.isReductionDue(at: now)
    }
    if isUpdateDue {
      // Read the cell without holding the lock. Otherwise, a slow disk would block threads that
      // publish events.
      policyStore.reducedCell.reloadIfChanged()
      now = self.now()
    }
    return state.withLock { [now] state in
      guard let event = state.nextEvent() else { return nil }
      if case .closed(let id) = event {
        state.peers[id] = nil
        // The connection is no longer waiting for the decision.
        state.fullAccuracyTasks.removeValue(forKey: id)?.cancel()
      }
      return runCore(event, &state, now)
    }
  }

  private func runCore(
    _ event: ServerCore.Event, _ state: inout State, _ now: MonotonicTime
  ) -> [ServerCore.Action] {
    policyStore.reducedCell.lend(isChoosing: false) { memory in
      state.core.reducedMemory = memory
      let actions = state.core.handle(event, at: now)
      memory = state.core.reducedMemory
      return actions
    }
  }

  private func setTimer() {
    let (deadline, old) = state.withLock { ($0.deadline, $0.timer) }
    guard deadline != old?.deadline else { return }
    old?.scheduled.cancel()
    guard let deadline else { return state.withLock { $0.timer = nil } }
    let wait = max(deadline.nanoseconds &- now().nanoseconds, 0)
    let scheduled = loop.scheduleTask(in: .nanoseconds(wait)) {
      self.state.withLock { $0.timer = nil }
      self.handle(.deadlineReached)
    }
    state.withLock { $0.timer = (deadline, scheduled) }
  }

  // MARK: Actions

  private func perform(_ action: ServerCore.Action) {
    switch action {
    case .write(let id, let bytes): write(bytes, to: id)
    case .close(let id): peer(id)?.close()
    case .abort(let id): peer(id)?.abort()
    case .openPolicy(let key, let base): openPolicy(key, base)
    case .closePolicy(let key):
      state.withLock { $0.policies.removeValue(forKey: key) }?.listening.end()
    case .ask(let key, let request, let purpose, let number):
      guard let policy = policy(key) else { return }
      Task {
        let answer = await policy.answer(request, purpose: purpose)
        self.submit(.answered(key, number, answer), of: policy, for: key)
      }
    case .askFullAccuracy(let id, let key, let purposeKey, let number):
      requestFullAccuracy(id, key, purposeKey, number)
    case .note(let key, let use): policy(key)?.note(use)
    case .readStatus(let id):
      Task { self.submit(.status(id, await self.status())) }
    case .readMetrics(let id):
      Task { self.submit(.status(id, await self.metrics())) }
    case .web(let action): web.perform(action) { self.submit(.web($0)) }
    }
  }

  private func peer(_ id: ServerCore.ConnectionID) -> ServerPeer? {
    state.withLock { $0.peers[id] }
  }

  func policy(_ key: ServerClient.Key) -> PolicyFiles? {
    state.withLock { $0.policies[key]?.policy }
  }

  private func write(_ bytes: [UInt8], to id: ServerCore.ConnectionID) {
    guard let peer = peer(id) else { return }
    let channel = peer.channel
    guard peer.isRunning(runs) else { return channel.close(promise: nil) }
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { result in
      switch result {
      case .success: self.handle(.written(id))
      case .failure: channel.close(promise: nil)
      }
    }
  }

  private func openPolicy(_ key: ServerClient.Key, _ base: AuthorizationStatus?) {
    policyStore.open(key.identity, process: key.process, base: base) { policy in
      let operatorRequests = policy.operatorRequests
      self.loop.execute { self.handlePolicyOpened(key, policy, operatorRequests) }
    }
  }

  private func handlePolicyOpened(
    _ key: ServerClient.Key, _ policy: PolicyFiles, _ operatorRequests: OperatorRequests
  ) {
    // If the client has disconnected and reconnected meanwhile, its policy is opened twice; ignore
    // the second policy.
    guard self.policy(key) == nil else { return }
    // A task would delay a withdrawal on a busy machine by another change of threads.
    let listening = policy.listen { [weak policy] update in
      if let policy { self.submit(.policy(key, update), of: policy, for: key) }
    }
    let verdict = policy.lastReportedVerdict
    state.withLock { $0.policies[key] = (policy, listening) }
    handle(
      .policyOpened(
        key, verdict.authorization, isDeniedGlobally: verdict.origin == .switchedOff,
        operatorRequests: operatorRequests))
  }

  private func requestFullAccuracy(
    _ id: ServerCore.ConnectionID, _ key: ServerClient.Key, _ purposeKey: String, _ number: UInt64
  ) {
    guard let policy = policy(key) else { return }
    let asking = Task {
      let answer = await policy.decideFullAccuracy(purposeKey: purposeKey)
      self.submit(.answeredFullAccuracy(key, number, answer), of: policy, for: key)
    }
    // If the connection was closed meanwhile, its close event was already handled, so cancel the
    // request here.
    let isOpen = state.withLock { state in
      guard state.peers[id] != nil else { return false }
      state.fullAccuracyTasks[id] = asking
      return true
    }
    if !isOpen { asking.cancel() }
  }

  /// Waits until all pending requests have been decided and written to the audit log.
  func flushPolicies() async { await policyStore.flush() }

  /// Closes all connections, and waits until the audit log has been written.
  func end() async {
    let peers = state.withLock { Array($0.peers.values) }
    for peer in peers {
      peer.direct?.close()
      try? await peer.channel.close().get()
    }
    await policyStore.flush()
  }
}
