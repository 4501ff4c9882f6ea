// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import WeatherClient

/// The state machine of ``WeatherModel``, which receives events and returns actions.
///
/// Locations pass through the same ``ReachabilityGate`` and ``LookupPolicy`` as in the daemon. The
/// weather for the newest location is looked up as soon as a lookup is due. One lookup runs at a
/// time. Results with the number of an earlier lookup are ignored.
struct WeatherMachine: Equatable, Sendable {
  /// The input of the state machine.
  enum Event: Equatable, Sendable {
    case path(NetworkPath)
    case authorization(AuthorizationStatus)
    /// Locations, the newest last.
    case locations([Location])
    case locationFailed(LocationError)
    /// The result of the search with this number, or `nil` if no place was found.
    case place(UInt64, Place?)
    case placeFailed(UInt64, WeatherError)
    /// The result of the fetch with this number.
    case weather(UInt64, WeatherReport)
    case weatherFailed(UInt64, WeatherError)
    case locationButtonTapped
    case alertDismissed
    /// The deadline of the timer has passed.
    case timerFired
  }

  /// The output of the state machine.
  enum Action: Equatable, Sendable {
    case requestWhenInUseAuthorization
    case startUpdatingLocation
    case stopUpdatingLocation
    /// Search for the place of a location, and send the result with this number.
    case search(UInt64, Location)
    /// Look up the weather at a location, and send the result with this number.
    case fetch(UInt64, Location, Place)
    /// Cancel the running lookup.
    case cancelLookup
    /// Send ``Event/timerFired`` at this time or later.
    case startTimer(MonotonicTime)
    case stopTimer
  }

  private struct Lookup: Equatable {
    var number: UInt64
    var location: Location
    /// The place whose weather is fetched; `nil` during the search for the place.
    var place: Place?
  }

  /// The state to display.
  private(set) var state = WeatherState()
  private var authorization: AuthorizationStatus?
  /// Whether location updates have been started.
  private var isUpdating = false
  private var path: NetworkPath?
  /// The newest location.
  private var location: Location?
  private var gate = ReachabilityGate()
  private var policy: LookupPolicy
  private var lookup: Lookup?
  private var lastNumber: UInt64 = 0
  /// The deadline of the timer, or `nil` if no timer is running.
  private var deadline: MonotonicTime?

  init(policy: LookupPolicy = LookupPolicy()) { self.policy = policy }

  /// Handles an event and returns the actions to perform, in order.
  mutating func handle(_ event: Event, now: MonotonicTime) -> [Action] {
    expire(now)
    let actions = apply(event, now)
    return actions + setTimer(now)
  }

  private mutating func apply(_ event: Event, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .path(let path): return pathChanged(path, now)
    case .authorization(let status): return authorizationChanged(status)
    case .locations(let locations): return locationsUpdated(locations, now)
    case .locationFailed(let error): return locationFailed(error)
    case .place(let number, let place): return placeSearched(place, number, now)
    case .placeFailed(let number, let error):
      if endLookup(number, isSearch: true) != nil { lookupFailed(.place(error), now) }
    case .weather(let number, let report): reportReceived(report, number, now)
    case .weatherFailed(let number, let error):
      if endLookup(number, isSearch: false) != nil { lookupFailed(.weather(error), now) }
    case .locationButtonTapped: return buttonTapped(now)
    case .alertDismissed: state.authorizationAlert = nil
    case .timerFired:
      deadline = nil
      if lookup == nil { return lookUpNewest(now) }
    }
    return []
  }

  // MARK: Network

  private mutating func pathChanged(_ path: NetworkPath, _ now: MonotonicTime) -> [Action] {
    self.path = path
    let released = sendToGate(.path(path))
    let connection: WeatherState.Connection = path.isSatisfied ? .connected : .notConnected
    // Do not repeat the lookup if only the interface has changed.
    guard connection != state.path else { return [] }
    state.path = connection
    guard connection == .connected else {
      state.weather = nil
      return cancelLookup()
    }
    restoreWeather(now)
    // Ignore the expiry of the last answer, so that only the minimum interval delays the lookup.
    policy.invalidateAnswer()
    return (released ?? location).map { lookUp($0, now) } ?? []
  }

  /// Restores the weather after a network loss that was shorter than the minimum lookup interval.
  private mutating func restoreWeather(_ now: MonotonicTime) {
    guard let last = state.lastKnownWeather, last.place.id == state.currentPlace?.id,
      last.ageSeconds(at: now) < min(policy.minimumIntervalSeconds, policy.maximumAgeSeconds)
    else { return }
    state.weather = last.report
  }

  /// Sends an event to the gate and returns the location that passes, if any.
  private mutating func sendToGate(_ event: ReachabilityGate.Event) -> Location? {
    for case .pass(let location) in gate.handle(event) { return location }
    return nil
  }

  // MARK: Location

  private mutating func authorizationChanged(_ status: AuthorizationStatus) -> [Action] {
    guard status != authorization else { return [] }
    authorization = status
    state.authorizationAlert = alert
    return status.isAuthorized ? startUpdates() : stopUpdates()
  }

  private var alert: AuthorizationAlert? {
    switch authorization {
    case .denied: .denied
    case .restricted: .restricted
    default: nil
    }
  }

  private mutating func startUpdates() -> [Action] {
    guard !isUpdating else { return [] }
    isUpdating = true
    if state.lastError == .location(.denied) { state.lastError = nil }
    return [.startUpdatingLocation]
  }

  /// Clears the location, the place and the weather, and stops updates and lookups.
  private mutating func stopUpdates() -> [Action] {
    location = nil
    gate = ReachabilityGate()
    if let path { _ = sendToGate(.path(path)) }
    policy.makeDue()
    state.currentPlace = nil
    state.weather = nil
    var actions = cancelLookup()
    if isUpdating { actions.append(.stopUpdatingLocation) }
    isUpdating = false
    return actions
  }

  private mutating func buttonTapped(_ now: MonotonicTime) -> [Action] {
    guard let authorization else { return [] }
    if authorization == .notDetermined { return [.requestWhenInUseAuthorization] }
    state.authorizationAlert = alert
    guard authorization.isAuthorized else { return [] }
    policy.makeDue()
    // While updates run, a location manager ignores `requestLocation`.
    return isUpdating ? lookUpNewest(now) : startUpdates()
  }

  private mutating func locationsUpdated(
    _ locations: [Location], _ now: MonotonicTime
  ) -> [Action] {
    guard isUpdating, let newest = locations.last else { return [] }
    location = newest
    if case .location = state.lastError { state.lastError = nil }
    return sendToGate(.location(newest)).map { lookUp($0, now) } ?? []
  }

  private mutating func locationFailed(_ error: LocationError) -> [Action] {
    state.lastError = .location(error)
    // Other errors are temporary; updates continue.
    guard error == .denied else { return [] }
    state.authorizationAlert = alert ?? .denied
    return stopUpdates()
  }

  // MARK: Lookups

  private mutating func lookUp(_ location: Location, _ now: MonotonicTime) -> [Action] {
    guard policy.startIfDue(at: location.coordinate, now: now) else { return [] }
    let actions = cancelLookup()
    lastNumber &+= 1
    lookup = Lookup(number: lastNumber, location: location)
    return actions + [.search(lastNumber, location)]
  }

  /// Looks up the weather for the newest location if the gate passes locations and a lookup is due.
  private mutating func lookUpNewest(_ now: MonotonicTime) -> [Action] {
    guard let location, gate.verdict == .passes else { return [] }
    return lookUp(location, now)
  }

  private mutating func cancelLookup() -> [Action] {
    guard lookup != nil else { return [] }
    lookup = nil
    return [.cancelLookup]
  }

  /// Ends the running lookup if the number and the phase match.
  ///
  /// Returns the lookup, or `nil` if the result belongs to an earlier lookup.
  private mutating func endLookup(_ number: UInt64, isSearch: Bool) -> Lookup? {
    guard let current = lookup, current.number == number, (current.place == nil) == isSearch
    else { return nil }
    lookup = nil
    return current
  }

  private mutating func placeSearched(
    _ place: Place?, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    guard var current = endLookup(number, isSearch: true) else { return [] }
    if case .place = state.lastError { state.lastError = nil }
    // Remove the weather of the previous place.
    if place?.id != state.currentPlace?.id { state.weather = nil }
    state.currentPlace = place
    guard let place else {
      // Record an answer, since another search at this location would not find a place either.
      policy.recordAnswer(for: current.location.coordinate, now: now)
      // Remove the error of the last weather lookup: without a place, no weather lookup follows.
      if case .weather = state.lastError { state.lastError = nil }
      return []
    }
    current.place = place
    lookup = current
    return [.fetch(number, current.location, place)]
  }

  private mutating func reportReceived(
    _ report: WeatherReport, _ number: UInt64, _ now: MonotonicTime
  ) {
    guard let current = endLookup(number, isSearch: false), let place = current.place
    else { return }
    policy.recordAnswer(with: report, at: current.location.coordinate, now: now)
    if case .weather = state.lastError { state.lastError = nil }
    state.weather = report
    state.lastKnownWeather = LastKnownWeather(
      place: place, report: report, receivedAt: report.receivedAt ?? now)
  }

  /// Records a failed lookup, without removing the weather.
  private mutating func lookupFailed(_ error: WeatherModelError, _ now: MonotonicTime) {
    state.lastError = error
    // Retry as soon as the policy allows, even if an earlier answer is still valid.
    policy.invalidateAnswer()
    let cause: WeatherError? =
      switch error {
      case .place(let error), .weather(let error): error.cause
      default: nil
      }
    switch cause {
    case .rateLimited(let seconds, _):
      policy.pause(forSeconds: seconds, now: now)
    case .notDue(let seconds, _):
      policy.pause(forSeconds: Double(seconds), now: now)
    default: break
    }
  }

  // MARK: Time

  /// Removes expired weather from the state.
  ///
  /// Expired weather stays available as `lastKnownWeather`.
  private mutating func expire(_ now: MonotonicTime) {
    if let end = freshnessEnd, end <= now { state.weather = nil }
  }

  private var freshnessEnd: MonotonicTime? {
    guard state.weather != nil, let last = state.lastKnownWeather else { return nil }
    return policy.expiry(ofAnswerAt: last.receivedAt)
  }

  /// Sets the timer to the expiry of the weather or to the next due lookup, whichever is earlier.
  private mutating func setTimer(_ now: MonotonicTime) -> [Action] {
    expire(now)
    var next = freshnessEnd
    if lookup == nil, let location, gate.verdict == .passes {
      let due = policy.nextDue(at: location.coordinate, now: now)
      next = min(next ?? due, due)
    }
    guard next != deadline else { return [] }
    deadline = next
    return [next.map { .startTimer($0) } ?? .stopTimer]
  }
}
