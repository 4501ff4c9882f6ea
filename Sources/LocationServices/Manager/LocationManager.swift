// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Streams
internal import Synchronization

/// Gives locations to a delegate, if the policy allows it.
///
/// Core Location's `CLLocationManager`. Callbacks come in order, never two at a time, and never
/// from inside a call of the manager; they run on the executor that the creator chose, and the
/// first of them tells of the authorization.
///
/// Differs in that it is given a source, a policy and a purpose when it is made, since a board has
/// no system service and no property list to take them from, and in that ``authorizationStatus``
/// and ``location`` are what the delegate has been told: read inside a callback, they agree with
/// it.
public final class LocationManager: Sendable {
  struct State {
    var machine: LocationMachine
    var deliveries: Deliveries
    weak var delegate: (any LocationManagerDelegate)?
    var isDraining = false
    /// Who waits until the queue is empty.
    var waiting: [AsyncStream<Never>.Continuation] = []
    var hasHeading = false
    var listening: PolicyListening?
    /// Runs whoever serves this manager.
    var serving: Task<Void, Never>?
    var timers: [LocationMachine.Timer: Task<Void, Never>] = [:]
    /// Who waits for an answer on full accuracy.
    var completions: [UInt64: @Sendable (LocationError?) -> Void] = [:]
    var completionCount: UInt64 = 0
    /// What the policy has been asked and has not answered.
    var asking: [Question: Task<Void, Never>] = [:]
    /// What the policy is to hear of.
    var notes = UseNotes()
    /// How many live updates were sent, so that a listener can tell what it has missed.
    var updateCount: UInt64 = 0
  }

  /// What a policy is asked, each by the machine's number for it.
  enum Question: Hashable, Sendable {
    case authorization(UInt64)
    case fullAccuracy(UInt64)
  }

  let state: Mutex<State>
  let policy: any AuthorizationPolicy
  let lane: CallbackLane
  let clock: any Clock<Duration>
  /// What callbacks are brought on their way by; `nil` for what all tasks share.
  let executor: (any TaskExecutor)?
  let requestTimeout: Duration
  let storage: (any MonitoringStorage)?
  /// Where the board is at reduced accuracy; that of the policy's board, else one a process.
  let reducedCell: ReducedCell
  /// A listener keeps the newest update alone: what comes after a revocation replaces what came
  /// before it.
  let live = Broadcast<LocationUpdates.Numbered>(bufferSize: 1)
  /// The same without any location, for those who want none.
  let reasons = Broadcast<LocationUpdates.Numbered>(bufferSize: 1)
  /// Held while the storage is written, so that what is newer is written later.
  let saving = Mutex(())
  /// Reads ``clock``, as the time since the manager was made.
  let now: @Sendable () -> MonotonicTime

  /// Makes a manager that has no source yet.
  ///
  /// Core Location's takes nothing and calls back on the run loop of the thread that made it.
  /// Differs in that all it depends on is given: a board has no system service to ask.
  ///
  /// - Parameters:
  ///   - policy: Who decides on authorization.
  ///   - purpose: What the program wants locations for, in words for whoever decides. While it is
  ///     empty, requests for authorization do nothing, as in Core Location without the entry in
  ///     the property list.
  ///   - actor: On whose executor callbacks run, such as `MainActor.shared`; `nil` for one of the
  ///     manager's own.
  ///   - requestTimeout: How long a one-shot request waits for a location.
  ///   - callbackLimit: How many callbacks wait for a slow delegate, at least 4; beyond, the
  ///     oldest location goes and is counted.
  ///   - storage: Where regions, a visit that goes on and the last significant change survive a
  ///     restart; `nil` for nowhere.
  ///   - clock: What the time is measured by.
  ///   - executor: What callbacks run on that have no actor of the creator's; `nil` for what all
  ///     tasks share.
  public init(
    policy: any AuthorizationPolicy, purpose: String, callbacksOn actor: (any Actor)? = nil,
    requestTimeout: Duration = .seconds(30), callbackLimit: Int = 64,
    storage: (any MonitoringStorage)? = nil, clock: any Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    self.policy = policy
    self.clock = clock
    self.executor = executor
    self.requestTimeout = requestTimeout
    self.storage = storage
    reducedCell = (policy as? any ReducedCellKeeper)?.reducedCell ?? .ofProcess
    now = clock.readings()
    lane = CallbackLane(host: actor)
    let authorization = AuthorizationState(
      policy.initialAuthorization, isDeniedGlobally: policy.isDeniedGlobally, mode: policy.mode)
    var machine = LocationMachine(authorization, purpose: purpose)
    if let stored = storage?.load() { machine.restore(stored) }
    state = Mutex(
      State(
        machine: machine,
        deliveries: Deliveries(told: authorization.effective, limit: callbackLimit)))
    if state.withLock({ $0.machine.resumesMonitoring() }) { policy.note(.started(.regions)) }
    let listening = policy.listen { [weak self] update in self?.handle(.policy(update)) }
    state.withLock { $0.listening = listening }
  }

  /// Runs a source from now on until the manager goes, also while nothing is started.
  ///
  /// - Parameters:
  ///   - onDemand: Whether it gives locations only while something is started.
  ///   - run: Runs the source until it ends or the task is cancelled.
  package func serve(
    onDemand: Bool,
    _ run: @escaping @Sendable (@escaping @Sendable (FixSourceEvent) -> Void) async -> Void
  ) {
    let serving = Task { [weak self] in
      await run { [weak self] event in self?.ingest(event) }
      self?.sourceDidFail()
    }
    state.withLock { state in
      state.machine.isServedOnDemand = onDemand
      state.serving = serving
    }
  }

  deinit {
    let (actions, completions) = state.withLock { state in
      state.listening?.end()
      state.serving?.cancel()
      for timer in state.timers.values { timer.cancel() }
      for task in state.asking.values { task.cancel() }
      return (state.machine.handle(.disconnected, at: now()), state.completions)
    }
    for case .note(let use) in actions { policy.note(use) }
    guard !completions.isEmpty else { return }
    let inOrder = completions.sorted { $0.key < $1.key }.map(\.value)
    Task { [lane] in
      await lane.run { for completion in inOrder { completion(.promptDeclined) } }
    }
  }

  /// Who is told.
  ///
  /// As in Core Location it is held weakly. Setting it queues the present authorization as its
  /// first callback. What waited for another delegate is not given to this one.
  public var delegate: (any LocationManagerDelegate)? {
    get { state.withLock { $0.delegate } }
    set {
      guard let newValue else { return state.withLock { $0.delegate = nil } }
      handle(making: { state in
        state.delegate = newValue
        state.deliveries.dropForNewDelegate()
        return .attached
      })
    }
  }

  /// The authorization that the delegate was told of last.
  ///
  /// Core Location's is the present one. Differs in that it changes with the callback that tells of
  /// it, so that the two always agree.
  public var authorizationStatus: AuthorizationStatus {
    state.withLock { $0.deliveries.told.status }
  }

  /// The accuracy that the delegate was told of last.
  ///
  /// Core Location's is the present one. Differs in that it changes with the callback that tells of
  /// it, so that the two always agree.
  public var accuracyAuthorization: AccuracyAuthorization {
    state.withLock { $0.deliveries.told.accuracy }
  }

  /// Who applies what is decided about this program; Core Location's daemon always does.
  public var authorizationMode: AuthorizationMode {
    state.withLock { $0.machine.authorization.mode }
  }

  /// Why nothing comes at present, or less than was asked for.
  ///
  /// Core Location has this for live updates only.
  public var diagnostics: LocationDiagnostics { state.withLock { $0.machine.diagnostics } }

  /// Whether the switch for the whole board is on.
  ///
  /// Core Location's is a static method. Differs in that it is the manager's, whose policy knows
  /// the switch.
  public var locationServicesEnabled: Bool {
    state.withLock { !$0.machine.authorization.isDeniedGlobally }
  }

  /// The location delivered last; `nil` before the first.
  ///
  /// Core Location's is what it has received last. Differs in that it is what was delivered last,
  /// so that it agrees with the callback, and in that it is `nil` again once the grant is withdrawn
  /// or narrowed to reduced accuracy: what was known under it is not to be read after it.
  public var location: Location? { state.withLock { $0.deliveries.location } }

  /// The heading delivered last; `nil` before the first.
  ///
  /// Core Location's is the one that it has received last. Differs in that it is `nil` again once
  /// the grant is withdrawn or narrowed to reduced accuracy, as ``location`` is.
  public var heading: Heading? { state.withLock { $0.deliveries.heading } }

  /// How many locations a slow delegate has missed.
  public var droppedLocationCount: UInt64 {
    state.withLock { $0.deliveries.queue.droppedLocations }
  }

  /// How many other callbacks and answers were never given, for a delegate that was stuck for long.
  public var droppedCallbackCount: UInt64 { state.withLock { $0.deliveries.queue.droppedOthers } }

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
}

/// What the program sets, and what can be had.
extension LocationManager {
  /// How precise a one-shot request wants its location; `DesiredAccuracy.best` at first.
  ///
  /// Core Location also chooses its hardware by it. Differs in that it is an enumeration, and in
  /// that nothing but a one-shot request heeds it, save `DesiredAccuracy.reduced`, which gives the
  /// program no more than reduced accuracy, of its own will. Updates come as they come: as in Core
  /// Location, it is no filter.
  public var desiredAccuracy: DesiredAccuracy {
    get { settings.desiredAccuracy }
    set { set { $0.desiredAccuracy = newValue } }
  }

  /// How far in metres the board has to move for the next update; `nil` for none, at first.
  ///
  /// As in Core Location a more precise location comes nevertheless. Differs in that `nil` stands
  /// for none, and not -1.
  public var distanceFilter: Double? {
    get { settings.distanceFilter }
    set { set { $0.distanceFilter = newValue } }
  }

  /// By how many degrees the bow has to turn for the next heading; 1 at first, `nil` for none.
  ///
  /// As in Core Location, 1 at first. Differs in that `nil` stands for none, and not -1.
  public var headingFilter: Double? {
    get { settings.headingFilter }
    set { set { $0.headingFilter = newValue } }
  }

  /// Whether updates end when the board has not moved for a quarter of an hour.
  ///
  /// As in Core Location they do not begin again by themselves. Differs in that it is off at first:
  /// a board on mains power has nothing to save.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { settings.pausesAutomatically }
    set { set { $0.pausesAutomatically = newValue } }
  }

  /// Whether a receiver has said where the bow points, since the manager was made.
  ///
  /// Core Location knows its hardware. Differs in that which receiver is plugged in next, nobody
  /// knows.
  public var headingAvailable: Bool { state.withLock { $0.hasHeading } }

  /// Whether significant changes can be told: always, by the receiver alone.
  ///
  /// Core Location needs a cellular modem for them, and says no without. Differs in that a receiver
  /// is enough.
  public var significantLocationChangeMonitoringAvailable: Bool { true }

  /// Whether regions can be monitored now: with full accuracy, if anything is decided.
  ///
  /// Core Location's `isMonitoringAvailable(for:)` asks by the class of the region and answers for
  /// the hardware. Differs in that there is one class, every receiver can, and the authorization is
  /// what may stand against it.
  public var isRegionMonitoringAvailable: Bool {
    state.withLock { state in
      let authorization = state.machine.authorization
      return !authorization.granted.status.isRefused
        && !(authorization.granted.status.isAuthorized && authorization.isReduced)
    }
  }

  /// The largest radius in metres that a region may have: 10,000 km.
  ///
  /// Core Location's depends on the device, and is -1 where there is none. Differs in that it is
  /// the same for every receiver, since none has a reason for less.
  public var maximumRegionMonitoringDistance: Double { CircularRegion.maximumRadiusMeters }

  private var settings: LocationMachine.Settings { state.withLock { $0.machine.settings } }

  private func set(_ change: (inout LocationMachine.Settings) -> Void) {
    handle(making: { state in
      var settings = state.machine.settings
      change(&settings)
      return .set(settings)
    })
  }
}
