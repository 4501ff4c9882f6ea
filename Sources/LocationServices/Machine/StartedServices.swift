// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The services that the program uses, whether or not they may deliver a location now.
///
/// Reports the start, the first location and the end of each service, which the policy needs for
/// its log and for one-time grants.
struct StartedServices: Sendable {
  typealias Action = LocationMachine.Action

  /// The services in use, with the numbers of locations that they have delivered.
  private var locationCounts: [LocationServiceKind: UInt64] = [:]
  /// Services that have not delivered a location since they were started or allowed to resume.
  private var withoutDelivery: Set<LocationServiceKind> = []
  private var oneShot: OneShot?
  private var oneShotCount: UInt64 = 0
  private var isPaused = false
  private(set) var listenerCount = 0
  /// The number of listeners that receive diagnostics only.
  private(set) var reasonListenerCount = 0

  private(set) var settings = LocationMachine.Settings()
  private var distanceFilter = DistanceFilter()
  private var headingFilter = HeadingFilter()
  private(set) var significantChange = SignificantChange()
  /// Detects that the board rests after updates were started, so that updates can be paused.
  private var rest = StationaryDetector()

  var isInUse: Bool { !locationCounts.isEmpty }

  func contains(_ service: LocationServiceKind) -> Bool { locationCounts[service] != nil }

  /// Whether updates are started and not paused.
  var isUpdating: Bool { contains(.updates) && !isPaused }

  var hasListeners: Bool { listenerCount + reasonListenerCount > 0 }

  /// Whether a service is in use that delivers locations.
  var needsLocation: Bool {
    [.updates, .significantChanges, .oneShot, .liveUpdates].contains(where: contains)
  }

  mutating func set(_ new: LocationMachine.Settings) -> [Action] {
    if new.distanceFilter != settings.distanceFilter {
      distanceFilter = DistanceFilter(meters: new.distanceFilter)
    }
    if new.headingFilter != settings.headingFilter {
      headingFilter = HeadingFilter(degrees: new.headingFilter)
    }
    settings = new
    return []
  }

  // MARK: Start and end

  mutating func start(_ service: LocationServiceKind) -> [Action] {
    var actions: [Action] = []
    if service == .updates {
      // Updates deliver the location that a one-shot request waits for.
      actions += end(.oneShot)
      distanceFilter.reset()
      rest.reset()
      if isPaused { actions.append(.call(.didResumeUpdates)) }
      isPaused = false
    }
    guard !contains(service) else { return actions }
    // The last significant change remains the reference, even one from an earlier run.
    if service == .heading { headingFilter.reset() }
    withoutDelivery.insert(service)
    return actions + begin(service)
  }

  mutating func stop(_ service: LocationServiceKind) -> [Action] {
    var actions: [Action] = []
    if service == .updates {
      actions += end(.oneShot)
      isPaused = false
      // Significant changes still need the queued locations.
      if !contains(.significantChanges) { actions.append(.dropLocations) }
    }
    actions += end(service)
    if service == .significantChanges, significantChange.hasReference {
      significantChange.reset()
      actions.append(.monitoringChanged)
    }
    return actions
  }

  mutating func requestOnce(_ authorization: AuthorizationState) -> [Action] {
    if authorization.granted.status.isRefused { return [.call(.didFailWithError(.denied))] }
    // Running updates deliver locations anyway, and at most one request is pending.
    guard !isUpdating, oneShot == nil else { return [] }
    oneShotCount &+= 1
    oneShot = OneShot(number: oneShotCount)
    return begin(.oneShot) + [.startTimer(.oneShot(oneShotCount), nil)]
  }

  mutating func setListeners(_ count: Int, reasons: Int) -> [Action] {
    (listenerCount, reasonListenerCount) = (count, reasons)
    return set(.liveUpdates, isInUse: count > 0)
  }

  /// Sets whether any region is monitored.
  mutating func setMonitoring(_ isInUse: Bool) -> [Action] { set(.regions, isInUse: isInUse) }

  private mutating func set(_ service: LocationServiceKind, isInUse: Bool) -> [Action] {
    guard isInUse != contains(service) else { return [] }
    return isInUse ? begin(service) : end(service)
  }

  /// Resumes updates and ends the one-shot request, because authorization is refused.
  ///
  /// - Returns: The actions, and the number of services that waited for a location.
  mutating func refuse() -> (actions: [Action], waitingCount: Int) {
    isPaused = false
    let waitingCount = locationCounts.keys.count { $0 != .regions && $0 != .liveUpdates }
    return (end(.oneShot), waitingCount)
  }

  mutating func endAll() -> [Action] {
    let kinds: [LocationServiceKind] = [
      .oneShot, .heading, .significantChanges, .updates, .visits, .regions, .liveUpdates,
    ]
    return kinds.flatMap { end($0) }
  }

  private mutating func begin(_ service: LocationServiceKind) -> [Action] {
    locationCounts[service] = 0
    return [.note(.started(service))]
  }

  private mutating func end(_ service: LocationServiceKind) -> [Action] {
    if service == .oneShot { oneShot = nil }
    guard let count = locationCounts.removeValue(forKey: service) else { return [] }
    return [.note(.stopped(service, locationCount: count))]
  }

  // MARK: Changes of authorization

  /// Resets filters, so that nothing carries over to the next delivery.
  mutating func suspend() {
    rest.reset()
    distanceFilter.reset()
    headingFilter.reset()
  }

  /// Lets each service deliver the last reduced location, after access to reduced locations has begun.
  mutating func resume() { withoutDelivery = Set(locationCounts.keys) }

  mutating func forgetLocation() { oneShot?.forgetBest() }

  // MARK: Delivery

  /// Whether a service gets the last reduced location again, instead of waiting for the next.
  func repeatsLast(_ service: LocationServiceKind) -> Bool {
    service == .oneShot || withoutDelivery.contains(service)
  }

  /// Delivers updates and significant changes in one callback, so that no location is sent twice.
  mutating func deliver(
    updates: Location?, changes: Location?, at trackTime: MonotonicTime
  ) -> [Action] {
    var delivered: Location?
    var counts: [Action] = []
    if contains(.significantChanges), let changes, significantChange.passes(changes, at: trackTime)
    {
      delivered = changes
      counts += [.monitoringChanged] + count(.significantChanges)
    }
    if isUpdating, let updates, distanceFilter.passes(updates) {
      delivered = updates
      counts += count(.updates)
    }
    return delivered.map { [.call(.didUpdateLocations([$0]))] + counts } ?? []
  }

  /// Ends a delivery to all services.
  mutating func endDelivery() { withoutDelivery = [] }

  mutating func deliver(_ heading: Heading) -> [Action] {
    guard contains(.heading), headingFilter.passes(heading) else { return [] }
    return [.call(.didUpdateHeading(heading))] + count(.heading)
  }

  /// Answers a one-shot request if the location is precise enough.
  mutating func answerOneShot(_ location: Location?) -> [Action] {
    guard let location, let answer = oneShot?.take(location, desired: settings.desiredAccuracy)
    else { return [] }
    return endOneShot(with: answer)
  }

  /// Ends a one-shot request with the best location so far, or with an error if there was none.
  mutating func timeOutOneShot(_ number: UInt64, _ authorization: AuthorizationState) -> [Action] {
    guard isWaiting(forOneShot: number) else { return [] }
    if authorization.mayDeliver, let best = oneShot?.best { return endOneShot(with: best) }
    let wasNeverRequested =
      authorization.granted.status == .notDetermined && authorization.pending == nil
    return [.call(.didFailWithError(wasNeverRequested ? .denied : .locationUnknown))]
      + end(.oneShot)
  }

  func isWaiting(forOneShot number: UInt64) -> Bool { oneShot?.number == number }

  private mutating func endOneShot(with location: Location) -> [Action] {
    [.call(.didUpdateLocations([location]))] + count(.oneShot) + end(.oneShot)
  }

  /// Pauses updates if the program permits it and the board rests.
  mutating func pause(atRest location: Location, at trackTime: MonotonicTime) -> [Action] {
    guard isUpdating else { return [] }
    _ = rest.take(location.coordinate, at: trackTime)
    guard settings.pausesAutomatically, rest.isStationary else { return [] }
    isPaused = true
    return [.call(.didPauseUpdates)]
  }

  /// Counts a location that a service has delivered; returns a note for the first one.
  mutating func count(_ service: LocationServiceKind) -> [Action] {
    guard let count = locationCounts[service] else { return [] }
    locationCounts[service] = count &+ 1
    return count == 0 ? [.note(.firstLocation(service))] : []
  }

  /// Restores the reference of significant changes from an earlier run.
  mutating func restore(_ change: SignificantChange) { significantChange = change }
}

/// A request for one location.
///
/// The answer is the first location that is precise enough, or the best location so far at the
/// timeout.
private struct OneShot: Sendable {
  /// Distinguishes the timer of this request from those of earlier requests.
  let number: UInt64
  private(set) var best: Location?

  init(number: UInt64) { self.number = number }

  /// Processes a location; returns the location if it answers the request.
  mutating func take(_ location: Location, desired: DesiredAccuracy) -> Location? {
    if desired.isReached(by: location) { return location }
    if isBetter(location) { best = location }
    return nil
  }

  mutating func forgetBest() { best = nil }

  /// Whether the location replaces the best one so far; at equal accuracy, the newer one wins.
  private func isBetter(_ location: Location) -> Bool {
    guard let bestMeters = best?.horizontalAccuracyMeters else { return true }
    return location.horizontalAccuracyMeters.map { $0 <= bestMeters } ?? false
  }
}
