// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationServices
public import Positioning
internal import Synchronization
internal import SystemSupport

/// The daemon as a source of fixes and as whoever decides, for a location manager in this process.
///
/// The daemon lets through what this program may know; what the manager makes of it, filters and
/// regions, is this program's own. While the daemon is away it is looked for, seldom more and more.
///
/// What is decided and what it lets through come one after another, so that neither overtakes the
/// other: whoever is called must return at once.
public final class DaemonSession: FixSource, AuthorizationPolicy {
  /// How long it waits before it looks for the daemon again: doubled each time, up to the last.
  public struct Backoff: Hashable, Sendable {
    /// The first wait.
    public var first = Duration.seconds(1)
    /// The longest.
    public var longest = Duration.seconds(30)

    /// The usual one.
    public init() {}

    func next(after wait: Duration?) -> Duration { wait.map { min($0 * 2, longest) } ?? first }
  }

  /// Everything that comes, for those who want more than fixes.
  public enum Event: Equatable, Sendable {
    /// An object.
    case object(DaemonEvent)
    /// The connection is lost, or could not be had.
    case lost(DaemonClientError)
  }

  /// The name of the source.
  public let name: String
  /// What held when the session was made.
  public let initialAuthorization: Authorization
  /// Whether the switch for the whole board was off then.
  public let isDeniedGlobally: Bool
  /// Who applied the decisions then.
  public let mode: AuthorizationMode

  private let client: DaemonClient
  private let purpose: String?
  private let backoff: Backoff
  private let clock: any Clock<Duration>
  private let watchesSocket: Bool
  private let report: @Sendable (String) -> Void
  private let state: Mutex<DaemonSessionState>
  /// Held while somebody is called, so that all hear all in one order.
  private let order = Mutex(())

  /// Asks the daemon what this program may know, and makes a session.
  ///
  /// - Parameters:
  ///   - client: Speaks to the daemon.
  ///   - purpose: What for; where nobody has decided, that is asked for as the session runs.
  ///   - backoff: How long it waits between attempts.
  ///   - watchesSocket: Whether the kernel is asked to tell when the daemon comes; where it is not,
  ///     the next attempt finds out.
  ///   - clock: What the waits are measured by.
  /// - Throws: ``DaemonClientError``.
  public convenience init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(DaemonClientError) {
    let told = try await client.status().authorization
    self.init(
      client, purpose: purpose, backoff: backoff, watchesSocket: watchesSocket, clock: clock,
      assuming: told)
  }

  /// Makes a session of the daemon where there is one; `nil` where there is none.
  ///
  /// The daemon is asked on this thread, which takes milliseconds, and two seconds at most. One that
  /// does not answer, cannot be understood or may not be asked leaves the program restricted until
  /// it does. An operator is asked nothing before the program requests it.
  convenience init?(
    ifPresent client: DaemonClient, clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void
  ) {
    var told = DaemonAuthorization(Authorization(.restricted))
    var failure: DaemonClientError?
    do throws(DaemonClientError) { told = try client.statusNow().authorization } catch {
      if case .noDaemon = error { return nil }
      failure = error
    }
    self.init(client, clock: clock, assuming: told, failure: failure, report: report)
  }

  /// Makes a session by what is known; `nil` for nothing.
  package init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    watchesSocket: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    assuming told: DaemonAuthorization?, failure: DaemonClientError? = nil,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let told = told ?? DaemonAuthorization(Authorization(.notDetermined))
    let link = DaemonLink(failure, backoff: backoff)
    self.client = client
    self.purpose = purpose
    self.backoff = backoff
    self.watchesSocket = watchesSocket
    self.clock = clock
    self.report = report
    name = "daemon:\(client.address)"
    initialAuthorization = told.authorization
    isDeniedGlobally = told.isDeniedGlobally
    mode = link.mode
    state = Mutex(DaemonSessionState(link: link, decisions: DaemonDecisions(told)))
    if let failure { report("\(failure)") }
  }

  /// What was decided last.
  public var authorization: DaemonAuthorization { state.withLock { $0.decisions.told } }

  // MARK: Running

  /// Delivers what is told, until the task is cancelled; run once at a time.
  ///
  /// - Parameter deliver: Takes each event.
  /// - Throws: Nothing: a daemon that is away is waited for.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await run(isOnDemand: false, delivering: deliver)
  }

  /// Delivers what is told: where it is on demand, locations only while the program uses them.
  func run(
    isOnDemand: Bool, delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    await follow(isOnDemand: isOnDemand) { [client] event in
      if let event = event.ofSource(now: client.now) { deliver(event) }
    }
  }

  /// Follows the daemon's stream, connecting anew as often as it takes, until cancelled.
  ///
  /// - Parameter take: Takes each event, in order; must return at once.
  public func follow(_ take: @escaping @Sendable (Event) -> Void) async {
    await follow(isOnDemand: false, take)
  }

  private func follow(
    isOnDemand: Bool, _ take: @escaping @Sendable (Event) -> Void
  ) async {
    let (jobs, continuation) = AsyncStream.makeStream(of: DaemonAction.self)
    let watch = watchesSocket ? watchSocket() : nil
    perform { state in
      state.take = take
      (state.jobs, state.use.isOnDemand) = (continuation, isOnDemand)
      _ = state.link.handle(.wanted(state.use.terms))
      return state.link.handle(.began)
    }
    await withDiscardingTaskGroup { group in
      var connections: [UInt64: Task<Void, Never>] = [:]
      for await job in jobs {
        switch job {
        case .connect(let number, let terms):
          connections[number] = Task { await self.connect(number, terms) }
        case .disconnect(let number):
          for (older, task) in connections where older < number {
            task.cancel()
            connections[older] = nil
          }
        case .wait(let wait, let number, let duration):
          group.addTask {
            guard (try? await self.clock.sleep(for: duration)) != nil else { return }
            self.perform { $0.link.handle(.waited(wait, number)) }
          }
        case .ask(let request, let pause):
          group.addTask { await self.askAgain(request, after: pause) }
        case .tell, .restrict, .deliver, .arrive, .report: break
        }
      }
      for task in connections.values {
        task.cancel()
        await task.value
      }
    }
    withExtendedLifetime(watch) {}
    state.withLock { state in
      state.take = { _ in }
      state.jobs = nil
    }
  }

  /// Tells when something changes where the socket is.
  private func watchSocket() -> FolderWatch? {
    let path = client.address.socketPath
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return nil }
    let folder = FolderWatchSet.Folder(
      path: String(path[..<end]), suffix: String(path[path.index(after: end)...]))
    return FolderWatch([folder]) { [weak self] _ in self?.perform { $0.link.handle(.changed) } }
  }

  private func connect(_ number: UInt64, _ terms: DaemonLink.Terms) async {
    var request = DaemonRequest(.events, purpose: purpose, activity: terms.activity)
    request.includesLocations = terms.includesLocations
    do throws(DaemonClientError) {
      try await client.stream(request) { event in
        self.perform { $0.take(event, of: number, terms) }
      }
      throw .disconnected("it has ended the connection")
    } catch {
      if !Task.isCancelled { perform { $0.link.handle(.ended(number, terms, error)) } }
    }
  }

  // MARK: Doing what is decided

  /// Does what is decided while the order is kept, and reports after it: a log may block.
  private func perform(_ decide: (inout DaemonSessionState) -> [DaemonAction]) {
    let lines = order.withLock { _ in execute(state.withLock { decide(&$0) }) }
    for line in lines { report(line) }
  }

  private func execute(_ actions: [DaemonAction]) -> [String] {
    var lines: [String] = []
    for action in actions {
      switch action {
      case .connect, .disconnect, .wait, .ask: state.withLock { _ = $0.jobs?.yield(action) }
      case .tell(let updates): tell(updates)
      case .restrict: tell([state.withLock { $0.decisions.restrict() }])
      case .deliver(let event): state.withLock { $0.take }(event)
      case .arrive(let arrival):
        for waiter in state.withLock({ Array($0.fullAccuracy.values) }) { waiter.yield(arrival) }
      case .report(let line): lines.append(line)
      }
    }
    return lines
  }

  /// Tells all who listen; called while the order is kept.
  private func tell(_ updates: [AuthorizationUpdate]) {
    let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key }.map(\.value) }
    for update in updates { for listener in listeners { listener(update) } }
  }

  /// Starts to call back with what is decided, each in its place among what is delivered.
  ///
  /// - Parameter take: Takes each update; first what is different from when the session was made.
  /// - Returns: Goes on for as long as this is held.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    order.withLock { _ in
      let (id, told, mode) = state.withLock { state in
        state.nextID &+= 1
        state.listeners[state.nextID] = take
        return (state.nextID, state.decisions.told, state.link.mode)
      }
      if mode != self.mode { take(.mode(mode)) }
      if told.authorization != initialAuthorization || told.isDeniedGlobally != isDeniedGlobally {
        take(told.decision)
      }
      return PolicyListening { [weak self] in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }

  /// Tells the daemon of an activity, and asks it for locations while something uses them.
  public func note(_ use: ServiceUse) {
    state.withLock { state in
      state.use.take(use)
      // It goes with the connection. One that is yet to be made has it.
      for action in state.link.handle(.wanted(state.use.terms)) { state.jobs?.yield(action) }
    }
  }

  // MARK: Asking

  /// Asks, and lets a request that nobody answers wait; the daemon is asked anew when it comes back.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What for.
  /// - Returns: The decision, or that it comes as an update.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    state.withLock { $0.decisions.request(request, purpose: purpose) }
    return await ask(request)
  }

  /// Asks the daemon, and waits for its answer; without a connection that would outlast it, the
  /// next connection asks.
  private func ask(_ request: AuthorizationRequest) async -> AuthorizationAnswer {
    let question = state.withLock { state in
      state.link.isConnected || state.jobs == nil ? state.decisions.ask(request) : nil
    }
    guard let question else { return .pending }
    let asked = DaemonAuthorizationRequest(
      request == .always ? .always : .whenInUse, purpose: question.purpose,
      timeoutSeconds: question.isBrief ? 0 : DaemonRequest.maxTimeoutSeconds)
    let result: Result<DaemonAuthorization, DaemonClientError>
    do throws(DaemonClientError) { result = .success(try await client.authorize(asked)) } catch {
      result = .failure(error)
    }
    var answer = AuthorizationAnswer.pending
    let isCancelled = Task.isCancelled
    perform { state in
      guard !isCancelled else {
        state.decisions.giveUp(question)
        return []
      }
      let taken = state.decisions.take(result, of: question, longestWait: backoff.longest)
      answer = taken.0
      return taken.1
    }
    return answer
  }

  /// Asks for what is open still: nobody waits, and the answer is an update.
  private func askAgain(_ request: AuthorizationRequest, after pause: Duration?) async {
    if let pause, (try? await clock.sleep(for: pause)) == nil { return }
    guard case .decided(let decided) = await ask(request) else { return }
    switch (decided.status, request) {
    case (.notDetermined, _): perform { _ in [.tell([.lapsed(request)])] }
    case (.authorizedWhenInUse, .always): perform { _ in [.tell([.refused(request)])] }
    // The stream tells of what has changed, in its order.
    default: break
    }
  }

  /// Asks for full accuracy for a while; its end comes as an update.
  ///
  /// - Parameter purposeKey: What for.
  /// - Returns: Granted once the daemon lets full accuracy through.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let (arrivals, continuation) = AsyncStream.makeStream(
      of: DaemonAction.Arrival.self, bufferingPolicy: .bufferingOldest(8))
    let id = state.withLock { state in
      state.nextID &+= 1
      state.fullAccuracy[state.nextID] = continuation
      if state.link.isConnected || state.jobs == nil { continuation.yield(.connected) }
      return state.nextID
    }
    defer { state.withLock { _ = $0.fullAccuracy.removeValue(forKey: id) } }
    // It lasts for as long as a connection.
    for await arrival in arrivals {
      guard case .connected = arrival else { return .declined }
      break
    }
    if Task.isCancelled { return .declined }
    let asked = DaemonAuthorizationRequest(
      .temporaryFull, purpose: purposeKey, timeoutSeconds: DaemonRequest.maxTimeoutSeconds)
    guard let told = try? await client.authorize(asked), told.isFull else { return .declined }
    // Where nobody follows the stream, nobody would tell.
    let isSettled = state.withLock { $0.jobs == nil || $0.decisions.told.isFull }
    if isSettled { return .granted(duration: nil) }
    for await arrival in arrivals {
      switch arrival {
      case .full: return .granted(duration: nil)
      case .lost: return .declined
      case .connected: break
      }
    }
    return .declined
  }
}
