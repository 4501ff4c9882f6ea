// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// State machine of a location manager: events in, actions out.
///
/// A machine has no clock, thread or delegate; `LocationManager` provides them. Separate values
/// hold the state of the services, the reception and the motion. This type decides what each of
/// them may deliver under the current authorization.
struct LocationMachine: Sendable {
  private var requests: AuthorizationRequests
  private var services = StartedServices()
  private var reception = ReceptionTracker()
  private var motion = MotionMonitor()
  private var reducedAccuracy = ReducedAccuracy()
  private var trackClock = TrackClock()
  /// Whether the source has reported a heading.
  private(set) var hasHeading = false
  /// The diagnostics last reported to listeners.
  private var lastReportedDiagnostics: LocationDiagnostics = []

  init(_ authorization: AuthorizationState, purpose: String) {
    requests = AuthorizationRequests(authorization, purpose: purpose)
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    let wasInUse = services.isInUse
    var actions = decide(event, at: now)
    if services.isInUse != wasInUse { actions += reception.setInUse(services.isInUse) }
    let diagnostics = diagnostics
    if services.hasListeners, diagnostics != lastReportedDiagnostics {
      lastReportedDiagnostics = diagnostics
      if !actions.contains(where: \.isUpdate) { actions.append(.update(update(nil))) }
    }
    return actions
  }

  private mutating func decide(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch event {
    case .attached: [.call(.didChangeAuthorization(authorization.effective))]
    case .requestAuthorization(let request): requests.ask(request)
    case .answered(let number, let answer): apply(requests.change { $0.answer(number, answer) })
    case .policy(let update): apply(requests.take(update))
    case .requestFullAccuracy(let id, let key): requests.askFullAccuracy(id, key: key)
    case .answeredFullAccuracy(let number, let id, let answer):
      apply(requests.answerFullAccuracy(number, id, answer))
    case .activityBegan(let reason): [.note(.activityBegan(reason: reason))]
    case .activityEnded: [.note(.activityEnded)]
    case .disconnected: disconnect()
    case .set(let settings): services.set(settings)
    // These services have other events.
    case .start(.oneShot), .start(.regions), .start(.liveUpdates): []
    case .stop(.oneShot), .stop(.regions), .stop(.liveUpdates): []
    case .start(let service): start(service) + redeliverLast(at: now)
    case .stop(let service): services.stop(service)
    case .requestLocation: services.requestOnce(authorization) + redeliverLast(at: now)
    case .startMonitoring(let region): motion.start(region, authorization, &services)
    case .stopMonitoring(let identifier): motion.stop(identifier, &services)
    case .requestState(let region):
      [.call(.didDetermineState(motion.state(of: region, authorization), region))]
    case .location(let location): take(location, at: now)
    case .noPosition(let fix): take(withoutPosition: fix, at: now)
    case .positionLost:
      reception.lose(.noReceiver, authorization, isUpdating: services.isUpdating, at: now)
    case .receiverFound: reception.findReceiver(authorization, at: now)
    case .sky(let count): updateSatellites(count)
    case .heading(let heading): take(heading)
    case .listenersChanged(let count, let reasons): setListeners(count, reasons: reasons)
    case .timedOut(.oneShot(let number)): services.timeOutOneShot(number, authorization)
    case .timedOut(.fullAccuracy(let number)): apply(requests.change { $0.endLease(number) })
    case .timedOut(.reducedReception):
      reception.endReportDelay(authorization, isUpdating: services.isUpdating, at: now)
    case .timedOut(.reception): reception.endFirstReportWait(authorization, at: now)
    }
  }

  // MARK: Authorization

  var authorization: AuthorizationState { requests.state }

  private mutating func disconnect() -> [Action] {
    requests.disconnect()
    return [.dropPositionData] + services.endAll()
  }

  /// Returns the actions that a change of the authorization causes.
  ///
  /// Queued callbacks that reveal a position are dropped before the change is reported, so that the
  /// delegate receives none of them after the change.
  private mutating func apply(_ change: AuthorizationChange?) -> [Action] {
    guard let change else { return [] }
    var actions = change.completions
    if change.beginsReducing { reception.beginReducing() }
    if change.dropsPositions {
      actions.append(.dropPositionData)
      services.forgetLocation()
    }
    if !authorization.hasFullAccuracy {
      // Nothing carries over to the next delivery.
      services.suspend()
      motion.suspend()
    }
    if change.resumesReduced { services.resume() }
    if change.old != change.new {
      actions.append(.call(.didChangeAuthorization(change.new)))
      if change.isNarrowed, change.new.status.isAuthorized { actions += motion.regionsDenied }
      if change.isRefusal { actions += failures(change) }
    }
    return actions + change.timers
  }

  /// Returns the errors for a withdrawn grant or a refused request.
  ///
  /// A withdrawal causes one error for all services, a refusal one error for each waiting service.
  /// Each region has its own error, as in Core Location, except a region that could not be
  /// monitored under reduced accuracy.
  private mutating func failures(_ change: AuthorizationChange) -> [Action] {
    reception.endOutage()
    let (ended, waitingCount) = services.refuse()
    let wasAuthorized = change.old.status.isAuthorized
    let count = wasAuthorized ? min(waitingCount, 1) : waitingCount
    let hadRegions = !wasAuthorized || change.old.accuracy == .fullAccuracy
    return Array(repeating: .call(.didFailWithError(.denied)), count: count)
      + (hadRegions ? motion.regionsDenied : []) + ended
  }

  // MARK: Services

  private mutating func start(_ service: LocationServiceKind) -> [Action] {
    if service == .updates { reception.endOutage() }
    let actions = services.start(service)
    return authorization.granted.status.isRefused
      ? actions + [.call(.didFailWithError(.denied))] : actions
  }

  private mutating func setListeners(_ count: Int, reasons: Int) -> [Action] {
    if !services.hasListeners { lastReportedDiagnostics = diagnostics }
    return services.setListeners(count, reasons: reasons)
  }

  // MARK: Locations

  private mutating func take(_ location: Location, at now: MonotonicTime) -> [Action] {
    reception.set(.fix)
    let trackTime = trackClock.advance(to: location.time, arrival: now)
    guard authorization.mayDeliver else { return [] }
    let snapped = snap(location, at: now)
    let isReduced = authorization.isReduced
    if !isReduced || snapped != nil || authorization.isReducedByDaemon { reception.endOutage() }
    let actions =
      isReduced
      ? reception.report(authorization, isRevealed: snapped != nil, at: now)
      : services.pause(atRest: location, at: trackTime)
        + motion.take(location, at: trackTime, &services)
    return actions + deliver(location, snapped: snapped, at: trackTime)
  }

  /// Returns the location for a program with reduced accuracy; `nil` until the next one is due.
  private mutating func snap(_ location: Location, at now: MonotonicTime) -> Location? {
    // The daemon has already reduced the location, and limits the rate of locations.
    if authorization.isReducedByDaemon { return reducedAccuracy.adopt(location, at: now) }
    // `take` is called at most once per location and only if a service needs one, because a call
    // that returns a location starts the minimum interval again.
    return deliversReduced && services.needsLocation
      ? reducedAccuracy.take(location, at: now) : nil
  }

  /// Delivers the last reduced location to a service that has just started.
  ///
  /// The daemon may send the next location only after 15 minutes.
  private mutating func redeliverLast(at now: MonotonicTime) -> [Action] {
    guard authorization.isReducedByDaemon, authorization.mayDeliver,
      let last = reducedAccuracy.current(at: now)
    else { return [] }
    return deliver(last, snapped: nil, at: trackClock.now)
  }

  private mutating func deliver(
    _ location: Location, snapped: Location?, at trackTime: MonotonicTime
  ) -> [Action] {
    let last = reducedAccuracy.last
    // Repeating the last location reveals nothing new, and a new subscriber need not wait 15 minutes.
    func choice(for service: LocationServiceKind, isReduced: Bool) -> Location? {
      isReduced ? snapped ?? (services.repeatsLast(service) ? last : nil) : location
    }
    let (isReduced, deliversReduced) = (authorization.isReduced, deliversReduced)
    var actions = services.deliver(
      updates: choice(for: .updates, isReduced: deliversReduced),
      changes: choice(for: .significantChanges, isReduced: isReduced), at: trackTime)
    actions += services.answerOneShot(choice(for: .oneShot, isReduced: deliversReduced))
    if services.contains(.liveUpdates),
      let live = choice(for: .liveUpdates, isReduced: isReduced)
    {
      actions += [.update(update(live))] + services.count(.liveUpdates)
    }
    services.endDelivery()
    return actions
  }

  private mutating func take(withoutPosition fix: Fix, at now: MonotonicTime) -> [Action] {
    let isUpdating = services.isUpdating
    let isDelivered =
      authorization.mayDeliver && isUpdating
      && (!authorization.isReduced || authorization.isReducedByDaemon
        || reducedAccuracy.passes(withoutPosition: fix, at: now))
    let actions = reception.lose(
      .noFix, authorization, isUpdating: isUpdating, isRevealed: isDelivered, at: now)
    guard isDelivered else { return actions }
    let delivered = authorization.isReduced ? fix.withoutPosition.withoutSky : fix.withoutPosition
    return actions + [.call(.didReceiveFixWithoutPosition(delivered))]
  }

  /// Reports the number of satellites in view to listeners until the receiver has a fix.
  private mutating func updateSatellites(_ count: Int) -> [Action] {
    let isNews = reception.updateSatellites(inView: count)
    return isNews && services.contains(.liveUpdates) && authorization.hasFullAccuracy
      ? [.update(update(nil))] : []
  }

  /// Delivers a heading, except with reduced accuracy, because headings reveal motion.
  private mutating func take(_ heading: Heading) -> [Action] {
    hasHeading = true
    return authorization.hasFullAccuracy ? services.deliver(heading) : []
  }

  // MARK: Reading

  /// The reasons why no location, or a less precise one, is delivered.
  var diagnostics: LocationDiagnostics {
    var reasons = authorization.diagnostics
    guard authorization.mayDeliver else { return reasons }
    let isReduced = authorization.isReduced
    if motion.isStationary, !isReduced { reasons.insert(.stationary) }
    return reasons.union(
      reception.diagnostics(isReduced: isReduced, isInUse: services.isInUse))
  }

  func update(_ location: Location?) -> LocationUpdate {
    LocationUpdate(
      location: location, diagnostics: diagnostics,
      satellitesInView: authorization.hasFullAccuracy ? reception.satellitesInView : nil)
  }

  /// Returns the first update of a new listener.
  ///
  /// The update holds the diagnostics and, with reduced accuracy, the last location until another
  /// one is due.
  func firstUpdate(isForLocations: Bool, at now: MonotonicTime) -> LocationUpdate {
    let mayKnow = isForLocations && authorization.mayDeliver && authorization.isReduced
    return update(mayKnow ? reducedAccuracy.current(at: now) : nil)
  }

  /// Counts the location in the first update of a listener, which ``handle(_:at:)`` does not send.
  mutating func count(_ first: LocationUpdate) -> [Action] {
    first.location == nil ? [] : services.count(.liveUpdates)
  }

  /// Whether a timer is still needed.
  func needs(_ timer: Timer) -> Bool {
    switch timer {
    case .oneShot(let number): services.isWaiting(forOneShot: number)
    case .fullAccuracy(let number): authorization.lease == number
    case .reducedReception: reception.isReportDelayed
    case .reception: reception.isAwaitingFirstReport
    }
  }

  var settings: Settings { services.settings }
  var listenerCount: Int { services.listenerCount }
  var reasonListenerCount: Int { services.reasonListenerCount }
  var monitoredRegions: [CircularRegion] { motion.regions.regions }

  func isInUse(_ service: LocationServiceKind) -> Bool { services.contains(service) }

  mutating func setSource(isOnDemand: Bool) { reception.setSource(isOnDemand: isOnDemand) }

  // MARK: State that outlives the machine

  /// Whether locations are reduced to about five kilometres, by the policy or by the program.
  private var deliversReduced: Bool {
    authorization.isReduced || settings.desiredAccuracy == .reduced
  }

  /// Whether the next location may be reduced to another cell of ``reducedMemory``.
  func choosesCell(at now: MonotonicTime) -> Bool {
    deliversReduced && reducedAccuracy.isDue(at: now)
  }

  /// The cell that all programs of the board share.
  var reducedMemory: ReducedAccuracy.Memory {
    get { reducedAccuracy.memory }
    set { reducedAccuracy.memory = newValue }
  }

  var monitoringState: MonitoringState {
    MonitoringState(motion.regions, motion.visits, services.significantChange)
  }

  /// Resumes the monitoring of an earlier run; returns the note for restored regions.
  mutating func restore(_ state: MonitoringState) -> [Action] {
    guard state.isUsable else { return [] }
    motion.restore(state.visits, state.regions)
    services.restore(state.significantChange ?? SignificantChange())
    return services.setMonitoring(!monitoredRegions.isEmpty)
  }
}
