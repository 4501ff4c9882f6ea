// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Events of the source.
extension LocationMachine {
  mutating func take(_ location: Location, at now: MonotonicTime) -> [Action] {
    (reception, isAwaitingFirstReport) = (.fix, false)
    let trackTime = trackClock.advance(to: location.time, arrival: now)
    guard authorization.mayDeliver else { return [] }
    let snapped = snap(location, at: now)
    let isReduced = authorization.isReduced
    if !isReduced || snapped != nil || authorization.isReducedByDaemon { outage.end() }
    let actions =
      isReduced
      ? updateReducedReception(at: now, isRevealed: snapped != nil)
      : handleMotion(location, at: trackTime)
    return actions + deliver(location, snapped: snapped, at: trackTime)
  }

  /// Returns the location for a program with reduced accuracy; `nil` until the next one is due.
  private mutating func snap(_ location: Location, at now: MonotonicTime) -> Location? {
    // The daemon has already reduced the location, and limits the rate of locations.
    if authorization.isReducedByDaemon { return reducedAccuracy.adopt(location, at: now) }
    // `take` is called at most once per location and only if a service needs one, because a call
    // that returns a location starts the minimum interval again.
    return deliversReduced && isLocationWanted ? reducedAccuracy.take(location, at: now) : nil
  }

  /// Delivers the last reduced location to a service that has just started.
  ///
  /// The daemon may send the next location only after 15 minutes.
  mutating func redeliverLast(at now: MonotonicTime) -> [Action] {
    guard authorization.isReducedByDaemon, authorization.mayDeliver,
      let last = reducedAccuracy.current(at: now)
    else { return [] }
    return deliver(last, snapped: nil, at: trackClock.now)
  }

  private mutating func deliver(
    _ location: Location, snapped: Location?, at trackTime: MonotonicTime
  ) -> [Action] {
    let isReduced = authorization.isReduced
    let deliversReduced = deliversReduced
    // Repeating the last location reveals nothing new, and a new subscriber need not wait 15
    // minutes.
    let last = reducedAccuracy.last
    let updates = snapped ?? (servicesWithoutDelivery.contains(.updates) ? last : nil)
    let changes = snapped ?? (servicesWithoutDelivery.contains(.significantChanges) ? last : nil)
    var actions = deliver(
      updates: deliversReduced ? updates : location, changes: isReduced ? changes : location,
      at: trackTime)
    if oneShot != nil {
      actions += answer(with: deliversReduced ? snapped ?? last : location)
    }
    if listenerCount > 0,
      let delivered = isReduced ? snapped ?? (listenersLackDelivery ? last : nil) : location
    {
      actions += [.update(update(delivered))] + count(.liveUpdates)
    }
    (servicesWithoutDelivery, listenersLackDelivery) = ([], false)
    return actions
  }

  /// Whether locations are reduced to about five kilometres, by the policy or by the program.
  var deliversReduced: Bool {
    authorization.isReduced || settings.desiredAccuracy == .reduced
  }

  private var isLocationWanted: Bool {
    oneShot != nil || listenerCount > 0 || started.contains(.updates)
      || started.contains(.significantChanges)
  }

  /// Delivers updates and significant changes in one callback, so that no location is sent twice.
  private mutating func deliver(
    updates: Location?, changes: Location?, at trackTime: MonotonicTime
  ) -> [Action] {
    var delivered: Location?
    var counts: [Action] = []
    if started.contains(.significantChanges), let changes,
      significantChange.passes(changes, at: trackTime)
    {
      delivered = changes
      counts += [.monitoringChanged] + count(.significantChanges)
    }
    if started.contains(.updates), !isPaused, let updates, distanceFilter.passes(updates) {
      delivered = updates
      counts += count(.updates)
    }
    return delivered.map { [.call(.didUpdateLocations([$0]))] + counts } ?? []
  }

  private mutating func answer(with location: Location?) -> [Action] {
    guard let location, let answer = oneShot?.take(location, desired: settings.desiredAccuracy)
    else { return [] }
    return [.call(.didUpdateLocations([answer]))] + count(.oneShot) + endOneShot()
  }

  /// Handles the features that require full accuracy: pausing, visits and regions.
  private mutating func handleMotion(_ location: Location, at trackTime: MonotonicTime) -> [Action]
  {
    var actions: [Action] = []
    _ = stationary.take(location.coordinate, at: trackTime)
    if started.contains(.updates), !isPaused {
      _ = restWhileUpdating.take(location.coordinate, at: trackTime)
      if settings.pausesAutomatically, restWhileUpdating.isStationary {
        isPaused = true
        actions.append(.call(.didPauseUpdates))
      }
    }
    if started.contains(.visits), let visit = visits.take(location, at: trackTime) {
      actions += [.call(.didVisit(visit)), .monitoringChanged] + count(.visits)
    }
    guard !regions.watches.isEmpty else { return actions }
    let before = regions.watches.map(\.state)
    for event in regions.take(location, at: trackTime) {
      actions += calls(for: event) + count(.regions)
    }
    if regions.watches.map(\.state) != before { actions.append(.monitoringChanged) }
    return actions
  }

  /// Returns the callbacks for a crossing: the new state, and the entry or exit if the region
  /// requests notification.
  private func calls(for event: RegionMonitor.Event) -> [Action] {
    switch event {
    case .entered(let region):
      (region.notifyOnEntry ? [.call(.didEnterRegion(region))] : [])
        + [.call(.didDetermineState(.inside, region))]
    case .exited(let region):
      (region.notifyOnExit ? [.call(.didExitRegion(region))] : [])
        + [.call(.didDetermineState(.outside, region))]
    case .started, .failed: []
    }
  }

  mutating func take(withoutPosition fix: Fix, at now: MonotonicTime) -> [Action] {
    guard authorization.mayDeliver, started.contains(.updates), !isPaused,
      !authorization.isReduced || authorization.isReducedByDaemon
        || reducedAccuracy.passes(withoutPosition: fix, at: now)
    else { return losePosition(.noFix, at: now) }
    let lossActions = losePosition(.noFix, at: now, isRevealed: true)
    let delivered = authorization.isReduced ? fix.withoutPosition.withoutSky : fix.withoutPosition
    return lossActions + [.call(.didReceiveFixWithoutPosition(delivered))]
  }

  // `isRevealed`: the client receives an epoch at this moment, which reveals the reception.
  mutating func losePosition(
    _ reception: Reception, at now: MonotonicTime, isRevealed: Bool = false
  ) -> [Action] {
    (self.reception, isAwaitingFirstReport) = (reception, false)
    let timerActions = updateReducedReception(at: now, isRevealed: isRevealed)
    let mayKnow = !authorization.isReduced || reducedReception.reported != .fix
    guard mayKnow, authorization.mayDeliver, started.contains(.updates), !isPaused, outage.begin()
    else { return timerActions }
    return timerActions + [.call(.didFailWithError(.locationUnknown))]
  }

  mutating func findReceiver(at now: MonotonicTime) -> [Action] {
    isAwaitingFirstReport = false
    if reception == .noReceiver { reception = .noFix }
    return updateReducedReception(at: now, isRevealed: false)
  }

  /// Updates the reception reported to a client with reduced accuracy, at once or after a delay.
  ///
  /// Locations that arrive reduced reveal nothing by their timing and cause no delay.
  private mutating func updateReducedReception(at now: MonotonicTime, isRevealed: Bool) -> [Action]
  {
    guard authorization.isReduced,
      let seconds = reducedReception.take(
        reception, at: now, isRevealed: isRevealed || authorization.isReducedByDaemon)
    else { return [] }
    return [.startTimer(.reducedReception, .seconds(seconds))]
  }

  mutating func endReceptionWait(at now: MonotonicTime) -> [Action] {
    reducedReception.endWait()
    return reception == .fix
      ? updateReducedReception(at: now, isRevealed: false) : losePosition(reception, at: now)
  }

  // MARK: Source on demand

  /// Whether a service is started that needs locations.
  var isInUse: Bool {
    oneShot != nil || !started.isEmpty || listenerCount > 0 || !regions.watches.isEmpty
  }

  /// Whether the reception is known and current.
  var isReceptionKnown: Bool {
    !isServedOnDemand || isInUse && !isAwaitingFirstReport
  }

  /// Marks the reception as unknown until the source reports, because earlier values are outdated.
  ///
  /// A missing receiver is reported only after five seconds.
  mutating func awaitFirstReport() -> Action {
    isAwaitingFirstReport = true
    return .startTimer(.reception, .seconds(5))
  }

  mutating func endFirstReportWait(at now: MonotonicTime) -> [Action] {
    guard isAwaitingFirstReport else { return [] }
    (reception, isAwaitingFirstReport) = (.noReceiver, false)
    return updateReducedReception(at: now, isRevealed: false)
  }

  /// Reports the number of satellites in view to listeners while there is no fix.
  mutating func updateSatellites(_ count: Int) -> [Action] {
    guard satellitesInView != count else { return [] }
    satellitesInView = count
    guard listenerCount > 0, reception != .fix, authorization.mayDeliver,
      !authorization.isReduced
    else { return [] }
    return [.update(update(nil))]
  }

  /// Delivers a heading, except with reduced accuracy, because headings reveal motion.
  mutating func take(_ heading: Heading) -> [Action] {
    guard started.contains(.heading), authorization.mayDeliver, !authorization.isReduced,
      headingFilter.passes(heading)
    else { return [] }
    return [.call(.didUpdateHeading(heading))] + count(.heading)
  }
}
