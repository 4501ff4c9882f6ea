// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Delivers the board's location to whoever may know it: Core Location's face on Linux.
///
/// It opens no hardware. Whoever owns a `FixSource` gives its events to
/// ``ingest(_:)``. Callbacks come in order, one at a time and never from inside a call to the
/// manager, on the executor of the actor that its creator named; the first of them tells of the
/// authorization.
///
/// Differs from Core Location in that ``authorizationStatus`` and ``location`` are what the
/// delegate has been told: read inside a callback, they agree with it.
public final class LocationManager: Sendable {
  private struct State {
    var machine: LocationMachine
    var queue: CallbackQueue
    weak var delegate: (any LocationManagerDelegate)?
    var isDraining = false
    /// Who waits until the queue is empty.
    var waiting: [AsyncStream<Never>.Continuation] = []
    var told: Authorization
    var location: Location?
    var listening: Task<Void, Never>?
    /// Waits for the time of the pending one-shot request to be over.
    var timer: (number: UInt64, task: Task<Void, Never>)?
  }

  private let state: Mutex<State>
  private let policy: any AuthorizationPolicy
  private let lane: CallbackLane
  private let clock: any Clock<Duration>
  private let requestTimeout: Duration

  /// Makes a manager that has no source yet.
  ///
  /// - Parameters:
  ///   - policy: Who decides on authorization.
  ///   - actor: On whose executor callbacks run, such as `MainActor.shared`; `nil` for one of the
  ///     manager's own.
  ///   - requestTimeout: How long a one-shot request waits for a location.
  ///   - callbackLimit: How many callbacks wait for a slow delegate, at least 4; beyond, the
  ///     oldest location goes and is counted.
  ///   - clock: What the time is measured by.
  public init(
    policy: any AuthorizationPolicy, callbacksOn actor: (any Actor)? = nil,
    requestTimeout: Duration = .seconds(30), callbackLimit: Int = 64,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.policy = policy
    self.clock = clock
    self.requestTimeout = requestTimeout
    lane = CallbackLane(host: actor)
    let authorization = policy.initialAuthorization
    state = Mutex(
      State(
        machine: LocationMachine(authorization: authorization),
        queue: CallbackQueue(limit: callbackLimit), told: authorization))
    let changes = policy.changes()
    let listening = Task { [weak self] in
      for await change in changes { self?.handle(.decided(change)) }
    }
    state.withLock { $0.listening = listening }
  }

  deinit {
    state.withLock { state in
      state.listening?.cancel()
      state.timer?.task.cancel()
    }
  }

  /// Who is told, held weakly.
  ///
  /// Setting it queues the present authorization as its first callback.
  public var delegate: (any LocationManagerDelegate)? {
    get { state.withLock { $0.delegate } }
    set {
      state.withLock { $0.delegate = newValue }
      if newValue != nil { handle(.attached) }
    }
  }

  /// The authorization that the delegate was told of last.
  public var authorizationStatus: AuthorizationStatus { state.withLock { $0.told.status } }

  /// The accuracy that the delegate was told of last.
  public var accuracyAuthorization: AccuracyAuthorization { state.withLock { $0.told.accuracy } }

  /// The location delivered last; `nil` before the first and after a revocation.
  public var location: Location? { state.withLock { $0.location } }

  /// How many locations a slow delegate has missed.
  public var droppedLocationCount: UInt64 { state.withLock { $0.queue.droppedLocations } }

  /// Asks to know where the board is while the program is in use; acts only while undetermined.
  public func requestWhenInUseAuthorization() { handle(.requestAuthorization(.whenInUse)) }

  /// Asks to know at any time; acts while undetermined, and once when granted "in use".
  public func requestAlwaysAuthorization() { handle(.requestAuthorization(.always)) }

  /// Starts continuous updates; while undetermined, from the grant on.
  public func startUpdatingLocation() { handle(.startUpdating) }

  /// Ends updates and a pending one-shot request.
  public func stopUpdatingLocation() { handle(.stopUpdating) }

  /// Asks for one location: exactly one answer, a location or an error; nothing while updates run.
  public func requestLocation() { handle(.requestLocation) }

  /// Takes what a source says; returns at once.
  ///
  /// - Parameter event: A fix without a position never becomes a location: it counts as an outage,
  ///   like a loss.
  public func ingest(_ event: FixSourceEvent) {
    switch event {
    case .fix(let fix): handle(Location(fix).map { .location($0) } ?? .noPosition(fix))
    case .lost: handle(.positionLost)
    case .sky, .connected, .receiver: break
    }
  }

  /// Tells that the source has ended or failed.
  public func sourceDidFail() { handle(.positionLost) }

  /// Waits until every callback that is queued now has been made; at once when cancelled.
  public func waitUntilDelivered() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    state.withLock { state in
      if state.isDraining { state.waiting.append(continuation) } else { continuation.finish() }
    }
    // Ends with the stream, or with the task. Nothing spins: two that did would keep a board of two
    // cores from ever making the callbacks they wait for.
    for await _ in stream {}
  }

  // MARK: Running the machine

  private func handle(_ event: LocationMachine.Event) {
    let (actions, drains) = state.withLock { state in
      let actions = state.machine.handle(event)
      for action in actions {
        switch action {
        case .call(let callback): state.queue.append(callback)
        case .dropLocations: state.queue.dropLocations()
        case .startTimer(let number): startTimer(number, in: &state)
        case .ask: break
        }
      }
      // Answered, given up or refused: nothing is left to wait for.
      if let timer = state.timer, timer.number != state.machine.oneShot {
        timer.task.cancel()
        state.timer = nil
      }
      let drains = !state.isDraining && state.queue.count > 0
      if drains { state.isDraining = true }
      return (actions, drains)
    }
    // Each of these tasks ends by itself: with the queue empty, the answer given.
    if drains { Task { await lane.run { self.drain() } } }
    for action in actions {
      switch action {
      case .ask(let request):
        Task { [weak self, policy] in
          let answer = await policy.decide(request)
          self?.handle(.answered(answer))
        }
      case .call, .dropLocations, .startTimer: break
      }
    }
  }

  private func startTimer(_ number: UInt64, in state: inout State) {
    let task = Task { [weak self, clock, requestTimeout] in
      // Only a cancelled task makes a clock throw.
      guard (try? await clock.sleep(for: requestTimeout)) != nil else { return }
      self?.handle(.timedOut(number))
    }
    state.timer?.task.cancel()
    state.timer = (number, task)
  }

  /// Delivers until nothing waits; what a delegate causes meanwhile is queued behind.
  private func drain() {
    while true {
      let next: (LocationCallback, (any LocationManagerDelegate)?)? = state.withLock { state in
        guard let callback = state.queue.next() else {
          state.isDraining = false
          for continuation in state.waiting { continuation.finish() }
          state.waiting = []
          return nil
        }
        switch callback {
        case .didChangeAuthorization(let authorization):
          state.told = authorization
          if !authorization.status.isAuthorized { state.location = nil }
          if authorization.accuracy == .reducedAccuracy { state.location = state.location?.reduced }
        case .didUpdateLocations(let locations): state.location = locations.last
        case .didReceiveFixWithoutPosition, .didFailWithError: break
        }
        return (callback, state.delegate)
      }
      guard let (callback, delegate) = next else { return }
      switch callback {
      case .didChangeAuthorization: delegate?.locationManagerDidChangeAuthorization(self)
      case .didUpdateLocations(let locations):
        delegate?.locationManager(self, didUpdateLocations: locations)
      case .didReceiveFixWithoutPosition(let fix):
        delegate?.locationManager(self, didReceiveFixWithoutPosition: fix)
      case .didFailWithError(let error): delegate?.locationManager(self, didFailWithError: error)
      }
    }
  }
}
