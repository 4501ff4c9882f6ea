// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Delivers locations to a delegate, as far as the policy permits.
///
/// Corresponds to Core Location's `CLLocationManager`. Callbacks arrive in order, one at a time,
/// and never from inside a call of the manager. They run on the actor that created the manager, or
/// on the actor that the creator chose. The first callback reports the authorization.
///
/// Differs from Core Location: the program supplies the source, the policy and the purpose, because
/// a board has no system service and no property list. ``authorizationStatus`` and ``location``
/// hold the values last delivered to the delegate, including those of the current callback.
public final class LocationManager: Sendable {
  struct State {
    var machine: LocationMachine
    var deliveries: Deliveries
    var tasks = ManagerTasks()
    /// Service uses that have not been passed to the policy yet.
    var notes = ServiceUseQueue()
    var live = LiveBroadcast()
  }

  let state: Mutex<State>
  let policy: any AuthorizationPolicy
  let clock: any Clock<Duration>
  /// The task executor for callbacks on the manager's actor; `nil` for the default executor.
  let executor: (any TaskExecutor)?
  let requestTimeout: Duration
  let storage: (any MonitoringStorage)?
  /// The reduced-accuracy cell of the policy's board, or of the process if the policy has no board.
  let reducedCell: ReducedCell
  /// Held during a write, so that an older state never overwrites a newer one.
  let saving = Mutex(())
  /// Returns the time on ``clock`` since the manager was created.
  let now: @Sendable () -> MonotonicTime

  /// Creates a manager without a source.
  ///
  /// As in Core Location, callbacks come on the main actor if the manager was created there. Differs
  /// from Core Location: a manager that was created elsewhere needs no run loop, and all
  /// dependencies are passed in, because a board has no system service.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides on authorization.
  ///   - purpose: The reason why the program needs locations, for the operator who decides. If
  ///     the purpose is empty, requests for authorization do nothing, as in Core Location without
  ///     the entry in the property list.
  ///   - actor: The actor that runs callbacks, by default the actor of the caller. Without an actor,
  ///     callbacks run on the main actor if the caller does, and otherwise on an actor of the
  ///     manager. The manager does not retain the actor; after the actor is released, callbacks run
  ///     on the actor of the manager. Pass an actor other than the main actor in the initial value
  ///     of its property and in its initializer, because the default is then `nil`.
  ///   - requestTimeout: The timeout of a one-shot request.
  ///   - callbackLimit: The maximum number of queued callbacks, at least 4. On overflow the oldest
  ///     location is dropped and counted.
  ///   - storage: The storage that keeps regions, a visit in progress and the last significant
  ///     change across restarts; `nil` to keep nothing.
  ///   - clock: The clock for timeouts and intervals.
  ///   - executor: The task executor that runs callbacks instead of an `actor`.
  public convenience init(
    policy: any AuthorizationPolicy, purpose: String,
    callbacksOn actor: (any Actor)? = #isolation,
    requestTimeout: Duration = .seconds(30), callbackLimit: Int = 64,
    storage: (any MonitoringStorage)? = nil, clock: any Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    self.init(
      policy: policy, purpose: purpose,
      callbackActor: executor == nil ? actor ?? MainActor.ofCaller : nil,
      requestTimeout: requestTimeout, callbackLimit: callbackLimit, storage: storage, clock: clock,
      executor: executor)
  }

  /// Creates a manager with an actor for callbacks; `nil` for an actor of the manager.
  package init(
    policy: any AuthorizationPolicy, purpose: String, callbackActor: (any Actor)?,
    requestTimeout: Duration, callbackLimit: Int = 64, storage: (any MonitoringStorage)?,
    clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil
  ) {
    self.policy = policy
    self.clock = clock
    self.executor = executor
    self.requestTimeout = requestTimeout
    self.storage = storage
    reducedCell = (policy as? any ReducedCellProvider)?.reducedCell ?? .ofProcess
    now = clock.readings()
    let authorization = AuthorizationState(
      policy.initialAuthorization, isDeniedGlobally: policy.isDeniedGlobally, mode: policy.mode)
    var machine = LocationMachine(authorization, purpose: purpose)
    let restored = storage?.load().map { machine.restore($0) } ?? []
    state = Mutex(
      State(
        machine: machine,
        deliveries: Deliveries(
          reported: authorization.effective, limit: callbackLimit,
          actors: CallbackActors(chosen: callbackActor))))
    for case .note(let use) in restored { policy.note(use) }
    let listening = policy.listen { [weak self] update in self?.handle(.policy(update)) }
    state.withLock { $0.tasks.listen(listening) }
  }

  /// Runs a source until the manager is released, even while no service is started.
  ///
  /// - Parameters:
  ///   - onDemand: Whether the source delivers locations only while a service is started.
  ///   - run: Runs the source until it ends or the task is cancelled.
  package func serve(
    onDemand: Bool,
    _ run: @escaping @Sendable (@escaping @Sendable (FixSourceEvent) -> Void) async -> Void
  ) {
    state.withLock { state in
      state.machine.setSource(isOnDemand: onDemand)
      state.tasks.run(.source) { [weak self] in
        await run { [weak self] event in self?.ingest(event) }
        self?.sourceDidFail()
      }
    }
  }

  deinit {
    let (actions, completions, actor) = state.withLock { state in
      state.tasks.cancelAll()
      return (
        state.machine.handle(.disconnected, at: now()), state.deliveries.pendingCompletions,
        state.deliveries.actor
      )
    }
    for case .note(let use) in actions { policy.note(use) }
    guard !completions.isEmpty else { return }
    Task { await actor.perform { for completion in completions { completion(.promptDeclined) } } }
  }

  /// The delegate that receives callbacks.
  ///
  /// As in Core Location, the reference is weak. Setting a delegate queues the current
  /// authorization as its first callback and drops the callbacks queued for the previous delegate.
  public var delegate: (any LocationManagerDelegate)? {
    get { state.withLock { $0.deliveries.delegate }.onAnyActor }
    set { attach(newValue.map { DelegateReference($0) }) }
  }

  /// The delegate that receives callbacks on the main actor, whichever actor created the manager.
  ///
  /// Core Location has one delegate, on the thread that created the manager. This delegate may be
  /// isolated to the main actor, and replaces ``delegate``.
  @MainActor
  public var mainActorDelegate: (any LocationManagerCallbacks)? {
    get { state.withLock { $0.deliveries.delegate }.onMainActor }
    set { attach(newValue.map { DelegateReference(onMainActor: $0) }) }
  }

  private func attach(_ reference: DelegateReference?) {
    guard let reference else { return state.withLock { $0.deliveries.detach() } }
    handle(making: { state in
      state.deliveries.attach(reference)
      return .attached
    })
  }

  /// The authorization last reported to the delegate.
  ///
  /// Core Location returns the current status. Differs from Core Location: the property changes
  /// with the callback that reports the change, so that it agrees with every callback.
  public var authorizationStatus: AuthorizationStatus {
    state.withLock { $0.deliveries.reported.status }
  }

  /// The accuracy last reported to the delegate.
  ///
  /// Core Location returns the current accuracy. Differs from Core Location: the property changes
  /// with the callback that reports the change, so that it agrees with every callback.
  public var accuracyAuthorization: AccuracyAuthorization {
    state.withLock { $0.deliveries.reported.accuracy }
  }

  /// The component that enforces authorization; in Core Location, this is always the daemon.
  public var authorizationMode: AuthorizationMode {
    state.withLock { $0.machine.authorization.mode }
  }

  /// The reasons why no location, or a less precise one, is delivered.
  ///
  /// Core Location has diagnostics for live updates only.
  public var diagnostics: LocationDiagnostics { state.withLock { $0.machine.diagnostics } }

  /// Whether location services are enabled for the whole board.
  ///
  /// Core Location has a static method. Differs from Core Location: the property belongs to the
  /// manager, whose policy holds the switch.
  public var locationServicesEnabled: Bool {
    state.withLock { !$0.machine.authorization.isDeniedGlobally }
  }

  /// The last delivered location; `nil` before the first.
  ///
  /// Core Location returns the last received location. Differs from Core Location: the property
  /// changes with the callback, and becomes `nil` when the grant is withdrawn or narrowed to
  /// reduced accuracy.
  public var location: Location? { state.withLock { $0.deliveries.location } }

  /// The last delivered heading; `nil` before the first.
  ///
  /// Core Location returns the last received heading. Differs from Core Location: the property
  /// becomes `nil` when the grant is withdrawn or narrowed to reduced accuracy, as ``location``
  /// does.
  public var heading: Heading? { state.withLock { $0.deliveries.heading } }

  /// The number of locations dropped because the delegate was too slow.
  public var droppedLocationCount: UInt64 { state.withLock { $0.deliveries.droppedLocations } }

  /// The number of other callbacks and completions dropped because the delegate was blocked.
  public var droppedCallbackCount: UInt64 { state.withLock { $0.deliveries.droppedOthers } }

  /// Waits until the callback queue is empty or the task is cancelled.
  public func waitUntilDelivered() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    state.withLock { $0.deliveries.wait(continuation) }
    // The loop ends when the queue is empty or the task is cancelled. With polling instead, two
    // callers would occupy both cores of a small board, and the callbacks would never run.
    for await _ in stream {}
  }
}

/// Settings and availability.
extension LocationManager {
  /// The accuracy that ``requestLocation()`` waits for; initially `DesiredAccuracy.best`.
  ///
  /// Core Location also uses this value to choose its hardware. Differs from Core Location: the
  /// value is an enumeration and affects one-shot requests only. The exception is
  /// `DesiredAccuracy.reduced`, which limits the program to reduced accuracy. As in Core Location,
  /// the value does not filter updates.
  public var desiredAccuracy: DesiredAccuracy {
    get { settings.desiredAccuracy }
    set { set { $0.desiredAccuracy = newValue } }
  }

  /// The minimum distance in metres between updates; `nil`, the initial value, disables the filter.
  ///
  /// As in Core Location, a more precise location is delivered regardless. Differs from Core
  /// Location: the filter is disabled by `nil` instead of -1.
  public var distanceFilter: Double? {
    get { settings.distanceFilter }
    set { set { $0.distanceFilter = newValue } }
  }

  /// The minimum change in degrees between two headings; `nil` disables the filter.
  ///
  /// As in Core Location, the initial value is 1. Differs from Core Location: the filter is
  /// disabled by `nil` instead of -1.
  public var headingFilter: Double? {
    get { settings.headingFilter }
    set { set { $0.headingFilter = newValue } }
  }

  /// Whether updates pause when the board has not moved for 15 minutes.
  ///
  /// As in Core Location, updates do not resume by themselves. Differs from Core Location: the
  /// setting is initially off, because a board on mains power need not save energy.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { settings.pausesAutomatically }
    set { set { $0.pausesAutomatically = newValue } }
  }

  /// Whether a receiver has reported a heading since the manager was created.
  ///
  /// In Core Location, the value depends on the device. Differs from Core Location: a receiver with
  /// a heading may be connected later.
  public var headingAvailable: Bool { state.withLock { $0.machine.hasHeading } }

  /// Whether significant changes can be monitored; always true.
  ///
  /// Core Location requires a cellular modem. Differs from Core Location: a GPS receiver is
  /// sufficient.
  public var significantLocationChangeMonitoringAvailable: Bool { true }

  /// Whether the authorization permits region monitoring; true while undecided.
  ///
  /// In Core Location, `isMonitoringAvailable(for:)` depends on the region's class and on the
  /// hardware. Differs from Core Location: there is one class of regions, which every receiver
  /// supports. Only a refusal or reduced accuracy prevents monitoring.
  public var isRegionMonitoringAvailable: Bool {
    state.withLock { $0.machine.authorization.mayMonitorRegions }
  }

  /// The largest radius of a region in metres: 10,000 km.
  ///
  /// In Core Location, the value depends on the device and is -1 if monitoring is unavailable.
  /// Differs from Core Location: the value is the same for every receiver.
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
