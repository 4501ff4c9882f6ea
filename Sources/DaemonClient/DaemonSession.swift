// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationServices
public import Positioning
internal import Synchronization
internal import SystemSupport

/// A session with the daemon, used as the fix source and the policy of a location manager.
///
/// The daemon sends only the data that this program is authorized for. The location manager in this
/// process applies filters and regions. After a lost connection, the session reconnects with
/// exponential back-off.
///
/// Authorization updates and events are delivered one at a time, in the order in which the daemon
/// sent them. All callbacks must return at once.
public final class DaemonSession: FixSource, AuthorizationPolicy {
  /// The delays between attempts to connect.
  ///
  /// Each delay is twice the previous delay, up to a maximum.
  public struct Backoff: Hashable, Sendable {
    /// The first delay.
    public var first = Duration.seconds(1)
    /// The maximum delay.
    public var longest = Duration.seconds(30)

    /// Creates the default back-off.
    public init() {}

    func next(after wait: Duration?) -> Duration { wait.map { min($0 * 2, longest) } ?? first }
  }

  /// An event of the session.
  public enum Event: Equatable, Sendable {
    /// An object from the daemon's stream.
    case object(DaemonEvent)
    /// The connection was lost, or could not be made.
    case lost(DaemonClientError)
  }

  /// The name of the source.
  public let name: String
  /// The authorization when the session was created.
  public let initialAuthorization: Authorization
  /// Whether location was switched off for the whole board when the session was created.
  public let isDeniedGlobally: Bool
  /// The mode of authorization when the session was created.
  public let mode: AuthorizationMode

  private let client: DaemonClient
  private let purpose: String?
  private let backoff: Backoff
  private let clock: any Clock<Duration>
  private let watchesSocket: Bool
  private let report: @Sendable (String) -> Void
  private let state: Mutex<DaemonSessionState>
  /// Locked during callbacks, so that all listeners receive all events in the same order.
  private let order = Mutex(())

  /// Reads this program's authorization from the daemon, and creates a session.
  ///
  /// - Parameters:
  ///   - client: The client of the daemon.
  ///   - purpose: Why the program needs locations; shown to operators. If the authorization is not
  ///     determined, the running session requests when-in-use authorization for this purpose.
  ///   - backoff: The delays between attempts to connect.
  ///   - watchesSocket: Whether to watch the socket's directory, and to reconnect as soon as the
  ///     daemon starts. If false, the session reconnects at the next attempt.
  ///   - clock: The clock for the delays.
  /// - Throws: ``DaemonClientError``.
  public convenience init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(DaemonClientError) {
    let authorization = try await client.status().authorization
    self.init(
      client, purpose: purpose, backoff: backoff, watchesSocket: watchesSocket, clock: clock,
      assuming: authorization)
  }

  /// Creates a session if a daemon is running; otherwise returns `nil`.
  ///
  /// Blocks the calling thread while it reads this program's authorization from the daemon,
  /// normally for milliseconds, and for at most `timeoutMilliseconds`. If this fails, the program is
  /// restricted until the daemon responds. Does not request authorization, so operators are not
  /// asked.
  convenience init?(
    ifPresent client: DaemonClient, timeoutMilliseconds: Int32 = 2000,
    clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void
  ) {
    var authorization = DaemonAuthorization(Authorization(.restricted))
    var failure: DaemonClientError?
    do throws(DaemonClientError) {
      authorization = try client.statusNow(milliseconds: timeoutMilliseconds).authorization
    } catch {
      if case .noDaemon = error { return nil }
      failure = error
    }
    self.init(client, clock: clock, assuming: authorization, failure: failure, report: report)
  }

  /// Creates a session with a known authorization; `nil` means not determined.
  package init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    assuming assumed: DaemonAuthorization?, failure: DaemonClientError? = nil,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let initial = assumed ?? DaemonAuthorization(Authorization(.notDetermined))
    let link = DaemonLink(failure, backoff: backoff)
    self.client = client
    self.purpose = purpose
    self.backoff = backoff
    self.watchesSocket = watchesSocket
    self.clock = clock
    self.report = report
    name = "daemon:\(client.address)"
    initialAuthorization = initial.authorization
    isDeniedGlobally = initial.isDeniedGlobally
    mode = link.mode
    state = Mutex(DaemonSessionState(link: link, decisions: DaemonDecisions(initial)))
    if let failure { report("\(failure)") }
  }

  /// The current authorization.
  public var authorization: DaemonAuthorization { state.withLock { $0.decisions.current } }

  // MARK: Running

  /// Delivers fixes and other source events until the task is cancelled.
  ///
  /// Do not call concurrently. Does not throw: while the daemon is unavailable, the session
  /// repeatedly tries to connect.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await run(isOnDemand: false, delivering: deliver)
  }

  /// Delivers source events.
  ///
  /// If `isOnDemand`, the daemon sends locations only while the program uses them.
  func run(
    isOnDemand: Bool, delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    await follow(isOnDemand: isOnDemand) { [client] event in
      if let event = event.sourceEvent(now: client.now) { deliver(event) }
    }
  }

  /// Follows the daemon's stream, and reconnects when necessary, until the task is cancelled.
  ///
  /// - Parameter take: Handles each event, in order. Must return at once.
  public func follow(_ take: @escaping @Sendable (Event) -> Void) async {
    await follow(isOnDemand: false, take)
  }

  private func follow(
    isOnDemand: Bool, _ take: @escaping @Sendable (Event) -> Void
  ) async {
    let (jobs, continuation) = AsyncStream.makeStream(of: DaemonAction.self)
    let watch = watchesSocket ? watchSocket() : nil
    perform { state in
      state.deliver = take
      (state.jobs, state.use.isOnDemand) = (continuation, isOnDemand)
      _ = state.link.handle(.parametersChanged(state.use.parameters))
      return state.link.handle(.began)
    }
    await withDiscardingTaskGroup { group in
      var connections: [UInt64: Task<Void, Never>] = [:]
      for await job in jobs {
        switch job {
        case .connect(let number, let parameters):
          connections[number] = Task { await self.connect(number, parameters) }
        case .disconnect(let number):
          for (older, task) in connections where older < number {
            task.cancel()
            connections[older] = nil
          }
        case .wait(let number, let duration):
          group.addTask {
            guard (try? await self.clock.sleep(for: duration)) != nil else { return }
            self.perform { $0.link.handle(.waited(number)) }
          }
        case .sendRequest(let request, let pause):
          group.addTask { await self.repeatRequest(request, after: pause) }
        case .notify, .restrict, .deliver, .signal, .report: break
        }
      }
      for task in connections.values {
        task.cancel()
        await task.value
      }
    }
    withExtendedLifetime(watch) {}
    state.withLock { state in
      state.deliver = { _ in }
      state.jobs = nil
    }
  }

  /// Watches the directory of the socket.
  private func watchSocket() -> FolderWatch? {
    let path = client.address.socketPath
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return nil }
    let folder = FolderWatchSet.Folder(
      path: String(path[..<end]), suffix: String(path[path.index(after: end)...]))
    return FolderWatch([folder]) { [weak self] _ in
      self?.perform { $0.link.handle(.folderChanged) }
    }
  }

  private func connect(_ number: UInt64, _ parameters: DaemonLink.Parameters) async {
    var request = DaemonRequest(.events, purpose: purpose, activity: parameters.activity)
    request.includesLocations = parameters.includesLocations
    do throws(DaemonClientError) {
      try await client.stream(request) { event in
        self.perform { $0.handle(event, of: number, parameters) }
      }
      throw .disconnected("connection closed by the daemon")
    } catch {
      if !Task.isCancelled { perform { $0.link.handle(.ended(number, parameters, error)) } }
    }
  }

  // MARK: Actions

  /// Decides and performs actions while holding the `order` lock.
  ///
  /// Logs after unlocking, because logging may block.
  private func perform(_ decide: (inout DaemonSessionState) -> [DaemonAction]) {
    let lines = order.withLock { _ in execute(state.withLock { decide(&$0) }) }
    for line in lines { report(line) }
  }

  private func execute(_ actions: [DaemonAction]) -> [String] {
    var lines: [String] = []
    for action in actions {
      switch action {
      case .connect, .disconnect, .wait, .sendRequest: state.withLock { _ = $0.jobs?.yield(action) }
      case .notify(let updates): notify(updates)
      case .restrict: notify([state.withLock { $0.decisions.restrict() }])
      case .deliver(let event): state.withLock { $0.deliver }(event)
      case .signal(let signal):
        for waiter in state.withLock({ Array($0.fullAccuracySignals.values) }) {
          waiter.yield(signal)
        }
      case .report(let line): lines.append(line)
      }
    }
    return lines
  }

  /// Notifies all listeners.
  ///
  /// The caller must hold the `order` lock.
  private func notify(_ updates: [AuthorizationUpdate]) {
    let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key }.map(\.value) }
    for update in updates { for listener in listeners { listener(update) } }
  }

  /// Starts to deliver authorization updates, in the same order as the events.
  ///
  /// - Parameter take: Handles each update. First called with the changes since the session was
  ///   created. Must return at once.
  /// - Returns: A token; the callbacks stop when the token is released.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    order.withLock { _ in
      let (id, current, mode) = state.withLock { state in
        state.nextID &+= 1
        state.listeners[state.nextID] = take
        return (state.nextID, state.decisions.current, state.link.mode)
      }
      if mode != self.mode { take(.mode(mode)) }
      if current.authorization != initialAuthorization
        || current.isDeniedGlobally != isDeniedGlobally
      {
        take(current.decision)
      }
      return PolicyListening { [weak self] in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }

  /// Informs the daemon of the program's activity, and of whether the program uses locations.
  public func note(_ use: ServiceUse) {
    state.withLock { state in
      state.use.record(use)
      // A change requires a new connection. The next connection that is started includes the
      // change.
      for action in state.link.handle(.parametersChanged(state.use.parameters)) {
        state.jobs?.yield(action)
      }
    }
  }

  // MARK: Requests

  /// Requests authorization, and repeats an undecided request after each reconnect.
  ///
  /// - Parameters:
  ///   - request: The requested authorization.
  ///   - purpose: The reason, shown to operators.
  /// - Returns: The decision, or `pending` if it will arrive as an update.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    state.withLock { $0.decisions.request(request, purpose: purpose) }
    return await sendRequest(request)
  }

  /// Sends a request to the daemon, and waits for the response.
  ///
  /// Sends nothing while the session is not connected. The request is sent after the next
  /// connection is made.
  private func sendRequest(_ request: AuthorizationRequest) async -> AuthorizationAnswer {
    let (purpose, isStreaming) = state.withLock { state in
      let isStreaming = state.jobs != nil
      let mayBegin = state.link.isConnected || !isStreaming
      return (mayBegin ? state.decisions.beginRequest(request) : nil, isStreaming)
    }
    guard let purpose else { return .pending }
    let message = DaemonAuthorizationRequest(
      request == .always ? .always : .whenInUse, purpose: purpose,
      timeoutSeconds: isStreaming ? 0 : DaemonRequest.maxTimeoutSeconds)
    let result: Result<DaemonAuthorization, DaemonClientError>
    do throws(DaemonClientError) { result = .success(try await client.authorize(message)) } catch {
      result = .failure(error)
    }
    var answer = AuthorizationAnswer.pending
    let isCancelled = Task.isCancelled
    perform { state in
      let actions: [DaemonAction]
      (answer, actions) = state.decisions.handle(
        isCancelled ? nil : result, of: request, isStreaming: isStreaming,
        longestWait: backoff.longest)
      return actions
    }
    return answer
  }

  /// Repeats an undecided request, and reports the decision as an update.
  private func repeatRequest(_ request: AuthorizationRequest, after pause: Duration?) async {
    if let pause, (try? await clock.sleep(for: pause)) == nil { return }
    guard case .decided(let decided) = await sendRequest(request) else { return }
    switch (decided.status, request) {
    case (.notDetermined, _): perform { _ in [.notify([.lapsed(request)])] }
    case (.authorizedWhenInUse, .always): perform { _ in [.notify([.refused(request)])] }
    // Other decisions arrive on the stream as updates.
    default: break
    }
  }

  /// Requests temporary full accuracy.
  ///
  /// Listeners receive an update when temporary full accuracy ends.
  ///
  /// - Parameter purposeKey: The key of the purpose.
  /// - Returns: `granted` once the daemon's stream has full accuracy; otherwise `declined`.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let (signals, continuation) = AsyncStream.makeStream(
      of: DaemonAction.Signal.self, bufferingPolicy: .bufferingOldest(8))
    let id = state.withLock { state in
      state.nextID &+= 1
      state.fullAccuracySignals[state.nextID] = continuation
      if state.link.isConnected || state.jobs == nil { continuation.yield(.connected) }
      return state.nextID
    }
    defer { state.withLock { _ = $0.fullAccuracySignals.removeValue(forKey: id) } }
    // Temporary full accuracy ends when the program's last connection is closed, so wait until the
    // session is connected.
    for await signal in signals {
      guard case .connected = signal else { return .declined }
      break
    }
    if Task.isCancelled { return .declined }
    let message = DaemonAuthorizationRequest(
      .temporaryFull, purpose: purposeKey, timeoutSeconds: DaemonRequest.maxTimeoutSeconds)
    guard let answer = try? await client.authorize(message), answer.isFull else {
      return .declined
    }
    // While the session is not running, there is no stream that could signal full accuracy.
    let isSettled = state.withLock { $0.jobs == nil || $0.decisions.current.isFull }
    if isSettled { return .granted(duration: nil) }
    for await signal in signals {
      switch signal {
      case .fullAccuracy: return .granted(duration: nil)
      case .lost: return .declined
      case .connected: break
      }
    }
    return .declined
  }
}
