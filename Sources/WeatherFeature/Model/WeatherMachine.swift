// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import WeatherClient

/// Decides what a weather feature shows and asks for: events in, actions out.
///
/// Locations go through the daemon's own ``ReachabilityGate`` and ``LookupPolicy``; the newest that
/// was not due is looked up when it is. One lookup is under way at a time, under a number of its
/// own; an answer under any other number is late, and changes nothing.
struct WeatherMachine: Equatable, Sendable {
  /// What happens to it.
  enum Event: Equatable, Sendable {
    case path(NetworkPath)
    case authorization(AuthorizationStatus)
    /// Locations, the newest last.
    case locations([Location])
    case locationFailed(LocationError)
    /// The answer to the search of that number; no place where nobody knows one.
    case place(UInt64, Place?)
    case placeFailed(UInt64, WeatherError)
    /// The answer to the fetch of that number.
    case weather(UInt64, WeatherReport)
    case weatherFailed(UInt64, WeatherError)
    case locationButtonTapped
    case alertDismissed
    /// The reading of the clock that the timer was started for has come.
    case timerFired
  }

  /// What is to be done.
  enum Action: Equatable, Sendable {
    case requestWhenInUseAuthorization
    case startUpdatingLocation
    case stopUpdatingLocation
    /// Look for the place of a location, and answer under that number.
    case search(UInt64, Location)
    /// Look up the weather at a location in a place, and answer under that number.
    case fetch(UInt64, Location, Place)
    /// Nobody waits for the lookup under way any more.
    case cancelLookup
    /// Send ``Event/timerFired`` at that reading of the clock, and at no earlier one.
    case startTimer(MonotonicTime)
    case stopTimer
  }

  private struct Lookup: Equatable {
    var number: UInt64
    var location: Location
    /// Where the weather is fetched for; `nil` while that is searched for.
    var place: Place?
  }

  /// What there is to show.
  private(set) var state = WeatherState()
  private var authorization: AuthorizationStatus?
  /// Whether locations are wanted and may come.
  private var isUpdating = false
  private var path: NetworkPath?
  /// The newest location.
  private var location: Location?
  private var gate = ReachabilityGate()
  private var policy: LookupPolicy
  private var lookup: Lookup?
  private var lastNumber: UInt64 = 0
  /// When the timer is to fire; `nil` while it does not run.
  private var deadline: MonotonicTime?

  init(policy: LookupPolicy = LookupPolicy()) { self.policy = policy }

  /// Takes an event; what is to be done, in order.
  mutating func handle(_ event: Event, now: MonotonicTime) -> [Action] {
    expire(now)
    let actions = take(event, now)
    return actions + setTimer(now)
  }

  private mutating func take(_ event: Event, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .path(let path): return follow(path, now)
    case .authorization(let status): return authorize(status)
    case .locations(let locations): return locate(locations, now)
    case .locationFailed(let error): return fail(error)
    case .place(let number, let place): return arrive(at: place, number, now)
    case .placeFailed(let number, let error):
      if endLookup(number, isSearch: true) != nil { fail(.place(error), now) }
    case .weather(let number, let report): show(report, number, now)
    case .weatherFailed(let number, let error):
      if endLookup(number, isSearch: false) != nil { fail(.weather(error), now) }
    case .locationButtonTapped: return tap(now)
    case .alertDismissed: state.authorizationAlert = nil
    case .timerFired:
      deadline = nil
      if lookup == nil { return lookUpHeld(now) }
    }
    return []
  }

  // MARK: Network

  private mutating func follow(_ path: NetworkPath, _ now: MonotonicTime) -> [Action] {
    self.path = path
    let released = pass(.path(path))
    let connection: WeatherState.Connection = path.isSatisfied ? .connected : .notConnected
    // Over what the way leads is no reason to ask again.
    guard connection != state.path else { return [] }
    state.path = connection
    guard connection == .connected else {
      state.weather = nil
      return abandonLookup()
    }
    restoreWeather(now)
    // What came before the loss is no reason not to ask; how often one may ask stays.
    policy.forgetAnswer()
    return (released ?? location).map { lookUp($0, now) } ?? []
  }

  /// Shows again what was fresh before a loss so short that nobody would have asked meanwhile.
  private mutating func restoreWeather(_ now: MonotonicTime) {
    guard let known = state.lastKnownWeather, known.place.id == state.currentPlace?.id,
      known.ageSeconds(at: now) < min(policy.minimumIntervalSeconds, policy.maximumAgeSeconds)
    else { return }
    state.weather = known.report
  }

  /// Sends an event through the gate; the location that may go on, where one may.
  private mutating func pass(_ event: ReachabilityGate.Event) -> Location? {
    for case .pass(let location) in gate.handle(event) { return location }
    return nil
  }

  // MARK: Location

  private mutating func authorize(_ status: AuthorizationStatus) -> [Action] {
    guard status != authorization else { return [] }
    authorization = status
    state.authorizationAlert = alert
    return status.isAuthorized ? begin() : withdraw()
  }

  private var alert: AuthorizationAlert? {
    switch authorization {
    case .denied: .denied
    case .restricted: .restricted
    default: nil
    }
  }

  private mutating func begin() -> [Action] {
    guard !isUpdating else { return [] }
    isUpdating = true
    if state.lastError == .location(.denied) { state.lastError = nil }
    return [.startUpdatingLocation]
  }

  /// The board's place may not be known any more: neither shown as the present one nor looked up.
  private mutating func withdraw() -> [Action] {
    location = nil
    gate = ReachabilityGate()
    if let path { _ = pass(.path(path)) }
    policy.renew()
    state.currentPlace = nil
    state.weather = nil
    var actions = abandonLookup()
    if isUpdating { actions.append(.stopUpdatingLocation) }
    isUpdating = false
    return actions
  }

  private mutating func tap(_ now: MonotonicTime) -> [Action] {
    guard let authorization else { return [] }
    if authorization == .notDetermined { return [.requestWhenInUseAuthorization] }
    state.authorizationAlert = alert
    guard authorization.isAuthorized else { return [] }
    policy.renew()
    // While updates run, a manager ignores a request for one location.
    return isUpdating ? lookUpHeld(now) : begin()
  }

  private mutating func locate(_ locations: [Location], _ now: MonotonicTime) -> [Action] {
    guard isUpdating, let newest = locations.last else { return [] }
    location = newest
    if case .location = state.lastError { state.lastError = nil }
    return pass(.location(newest)).map { lookUp($0, now) } ?? []
  }

  private mutating func fail(_ error: LocationError) -> [Action] {
    state.lastError = .location(error)
    // Any other mends itself: updates go on.
    guard error == .denied else { return [] }
    state.authorizationAlert = alert ?? .denied
    return withdraw()
  }

  // MARK: Lookups

  private mutating func lookUp(_ location: Location, _ now: MonotonicTime) -> [Action] {
    guard policy.takeDue(at: location.coordinate, now: now) else { return [] }
    let actions = abandonLookup()
    lastNumber &+= 1
    lookup = Lookup(number: lastNumber, location: location)
    return actions + [.search(lastNumber, location)]
  }

  /// Looks up the newest location where there is a way and it is due.
  private mutating func lookUpHeld(_ now: MonotonicTime) -> [Action] {
    guard let location, gate.verdict == .passes else { return [] }
    return lookUp(location, now)
  }

  private mutating func abandonLookup() -> [Action] {
    guard lookup != nil else { return [] }
    lookup = nil
    return [.cancelLookup]
  }

  /// Ends the lookup of a number in its first or second half; `nil` where that is not under way.
  private mutating func endLookup(_ number: UInt64, isSearch: Bool) -> Lookup? {
    guard let current = lookup, current.number == number, (current.place == nil) == isSearch
    else { return nil }
    lookup = nil
    return current
  }

  private mutating func arrive(
    at place: Place?, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    guard var current = endLookup(number, isSearch: true) else { return [] }
    if case .place = state.lastError { state.lastError = nil }
    // The weather of one place is never shown for another.
    if place?.id != state.currentPlace?.id { state.weather = nil }
    state.currentPlace = place
    guard let place else {
      // An answer too: nothing else will come of asking again from here.
      policy.answered(for: current.location.coordinate, now: now)
      // There is no weather to fail here.
      if case .weather = state.lastError { state.lastError = nil }
      return []
    }
    current.place = place
    lookup = current
    return [.fetch(number, current.location, place)]
  }

  private mutating func show(_ report: WeatherReport, _ number: UInt64, _ now: MonotonicTime) {
    guard let current = endLookup(number, isSearch: false), let place = current.place
    else { return }
    policy.answered(with: report, at: current.location.coordinate, now: now)
    if case .weather = state.lastError { state.lastError = nil }
    state.weather = report
    state.lastKnownWeather = LastKnownWeather(
      place: place, report: report, receivedAt: report.receivedAt ?? now)
  }

  /// Keeps what is shown: a lookup that fails has nothing to replace it by.
  private mutating func fail(_ error: WeatherModelError, _ now: MonotonicTime) {
    state.lastError = error
    // Of another place, perhaps, or of what has failed since: asked again when that may be.
    policy.forgetAnswer()
    let cause: WeatherError? =
      switch error {
      case .place(let error), .weather(let error): error.cause
      default: nil
      }
    switch cause {
    case .rateLimited(let seconds, _):
      policy.refused(forSeconds: seconds, now: now)
    case .notDue(let seconds, _):
      policy.refused(forSeconds: Double(seconds), now: now)
    default: break
    }
  }

  // MARK: Time

  /// Weather that is too old is what was last known, and no more.
  private mutating func expire(_ now: MonotonicTime) {
    if let end = freshnessEnd, end <= now { state.weather = nil }
  }

  private var freshnessEnd: MonotonicTime? {
    guard state.weather != nil, let known = state.lastKnownWeather else { return nil }
    return policy.outdated(answeredAt: known.receivedAt)
  }

  /// Lets the timer fire when the weather is too old or the newest location is due next.
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
