// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient

@testable import WeatherFeature

/// Tests properties of the state machine with random sequences of events.
///
/// Each test runs 10,000 sequences of up to 60 paths, authorizations, locations, results and
/// errors.
@Suite("Weather machine with random events", .oneAtATime, .timeLimit(.minutes(20)))
struct WeatherMachinePropertyTests {
  /// A state machine with all requests and events so far.
  private struct Fixture {
    var machine = WeatherMachine()
    var now = MonotonicTime.at(0)
    var requests: [WeatherMachine.Action] = []
    var events: [WeatherMachine.Event] = []
    // The following values are derived only from the events, for comparison with the state.
    var isConnected = false
    var status = AuthorizationStatus.notDetermined
    var newest: Location?
    /// Whether the location manager has reported `denied` since the last grant.
    var isDenied = false
    var deadline: MonotonicTime?
    /// The number of nanoseconds that pass before every tenth event.
    var pause: Int64 = 100_000_000_000

    mutating func send(_ event: WeatherMachine.Event) -> [WeatherMachine.Action] {
      events.append(event)
      switch event {
      case .path(let path): isConnected = path.isSatisfied
      case .authorization(let status):
        if status != self.status { isDenied = false }
        self.status = status
      case .locationFailed(.denied): isDenied = true
      case .locationButtonTapped: if status.isAuthorized { isDenied = false }
      case .timerFired: deadline = nil
      case .locations(let locations): newest = locations.last ?? newest
      default: break
      }
      // Most events follow within the minimum interval of lookups; every tenth event follows later.
      now = now.advanced(byNanoseconds: events.count % 10 == 0 ? pause : 1_000_000_000)
      let actions = machine.handle(event, now: now)
      for action in actions {
        switch action {
        case .startTimer(let end): deadline = end
        case .stopTimer: deadline = nil
        default: break
        }
      }
      requests += actions.filter { action in
        switch action {
        case .search, .fetch: true
        default: false
        }
      }
      return actions
    }
  }

  private static let paths = [
    NetworkPath(status: .satisfied), NetworkPath(status: .unsatisfied, reason: .noCarrier),
    NetworkPath(status: .requiresConnection),
  ]
  private static let errors: [WeatherError] = [
    .network("gone"), .cancelled, .rateLimited(retryAfterSeconds: 90, reason: nil),
  ]

  /// Returns one of eighty locations that need separate lookups, or a location one to four
  /// kilometres away from one of the eighty, which needs no separate lookup.
  private static func location(_ generator: inout SeededGenerator) -> Location {
    let latitude = Double(Int.random(in: 10..<90, using: &generator)) / 10
    let isNear = Bool.random(using: &generator)
    return .at(latitude + (isNear ? .random(in: 0.009...0.036, using: &generator) : 0))
  }

  /// Returns the result of a request, or a random error.
  private static func reply(
    to action: WeatherMachine.Action, _ generator: inout SeededGenerator
  ) -> WeatherMachine.Event? {
    let fails = UInt8.random(in: 0..<8, using: &generator) == 0
    let error = fails ? errors.randomElement(using: &generator) : nil
    switch action {
    case .search(let number, let location):
      if let error { return .placeFailed(number, error) }
      let place = Place.of(location.coordinate)
      // There is no place at every fifth degree of latitude.
      return .place(number, place.id % 5 == 0 ? nil : place)
    case .fetch(let number, let location, _):
      if let error { return .weatherFailed(number, error) }
      return .weather(number, .moderate(at: location.coordinate))
    default: return nil
    }
  }

  private static func randomEvent(in fixture: Fixture, _ generator: inout SeededGenerator) -> WeatherMachine.Event {
    let location = location(&generator)
    switch UInt8.random(in: 0..<24, using: &generator) {
    case 0..<2: return .path(paths[0])
    case 2: return .path(paths.randomElement(using: &generator) ?? paths[0])
    case 3:
      return .authorization(AuthorizationStatus.allCases.randomElement(using: &generator) ?? .denied)
    case 4: return .authorization(.authorizedAlways)
    case 5: return .authorization(.authorizedWhenInUse)
    case 6..<8: return .locations([location])
    case 8..<10:
      // Return a location near the last location.
      let latitude = fixture.newest?.coordinate.latitudeDegrees ?? 5
      let tenth = (latitude * 10 + 1e-6).rounded(.down) / 10
      return .locations([.at(tenth + .random(in: 0...0.036, using: &generator))])
    case 13: return .timerFired
    case 10..<12: return .locationButtonTapped
    case 12:
      let isDenial = UInt8.random(in: 0..<4, using: &generator) == 0
      return .locationFailed(isDenial ? .denied : .locationUnknown)
    default:
      // Return a result for the newest or an earlier request, possibly not for the first time.
      let isNewest = UInt8.random(in: 0..<3, using: &generator) > 0
      let request = isNewest ? fixture.requests.last : fixture.requests.randomElement(using: &generator)
      return request.flatMap { reply(to: $0, &generator) } ?? .locations([location])
    }
  }

  /// Returns a description of the first sequence that breaks a rule; `nil` if no sequence does.
  private static func counterexample(
    seed: UInt64, pauseSeconds: Int64 = 100,
    _ rule: (Fixture, WeatherMachine.Event, [WeatherMachine.Action]) -> String?
  ) -> String? {
    for sequence in 0..<RandomInputs.count(10_000 as UInt64) {
      var generator = SeededGenerator(seed: seed << 32 | sequence)
      var fixture = Fixture()
      fixture.pause = pauseSeconds * 1_000_000_000
      for _ in 0..<60 {
        let event = randomEvent(in: fixture, &generator)
        let actions = fixture.send(event)
        if let violation = rule(fixture, event, actions) {
          let events = fixture.events.map { "\($0)" }.joined(separator: "\n")
          return "sequence \(sequence): \(violation)\n\(events)"
        }
      }
    }
    return nil
  }

  @Test func `weather is shown only for the current place`() {
    var shown = 0
    var near = 0
    let counterexample = Self.counterexample(seed: 1) { fixture, event, actions in
      let state = fixture.machine.state
      if let weather = state.weather {
        shown += 1
        if case .locations(let locations) = event, let location = locations.last,
          location.coordinate != weather.coordinate,
          state.lastKnownWeather.map({ $0.ageSeconds(at: fixture.now) >= 60 }) ?? false,
          Self.isNear(location, weather)
        {
          // Ignore searches after a tap or a failed lookup, which do not depend on the distance.
          near += actions.contains { if case .search = $0 { true } else { false } } ? 0 : 1
        }
        let place = Place.of(weather.coordinate)
        if state.currentPlace?.id != place.id {
          return "the weather of \(place.title) is shown for \(state.title)"
        }
      }
      if let lastKnown = state.lastKnownWeather,
        Place.of(lastKnown.report.coordinate).id != lastKnown.place.id
      {
        return "the last known weather has a report for a different place"
      }
      return nil
    }
    #expect(counterexample == nil)
    // Check that weather was shown often enough to test the rule.
    #expect(shown > RandomInputs.count(50_000), "weather was shown after \(shown) events")
    #expect(near > RandomInputs.count(1_000), "the board moved within reach \(near) times")
  }

  /// Whether the report applies to the location.
  private static func isNear(_ location: Location, _ weather: WeatherReport) -> Bool {
    location.coordinate.distanceMeters(to: weather.coordinate) < LookupPolicy().distanceMeters
  }

  @Test func `expired weather is never shown, and a timer is set for its expiry`() {
    let longest = LookupPolicy().maximumAgeSeconds
    var expired = 0
    var previous: WeatherState?
    let counterexample = Self.counterexample(seed: 6, pauseSeconds: Int64(longest)) {
      fixture, event, _ in
      let state = fixture.machine.state
      defer { previous = state }
      guard let lastKnown = state.lastKnownWeather else { return nil }
      let age = lastKnown.ageSeconds(at: fixture.now)
      guard state.weather != nil else {
        let wasShown = previous?.weather != nil && previous?.lastKnownWeather == lastKnown
        if wasShown, age >= longest { expired += 1 }
        return nil
      }
      if age >= longest { return "weather of \(age) s is shown" }
      guard let deadline = fixture.deadline else { return "no timer is set for the expiry" }
      return deadline.seconds(since: lastKnown.receivedAt) > longest ? "the timer is too late" : nil
    }
    #expect(counterexample == nil)
    // Check that weather expired often enough to test the rule.
    #expect(expired > RandomInputs.count(1_000), "weather expired \(expired) times")
  }

  @Test func `fresh weather is never shown offline or without authorization`() {
    let counterexample = Self.counterexample(seed: 2) { fixture, _, _ in
      let state = fixture.machine.state
      if state.isConnected != fixture.isConnected { return "connected is \(state.path)" }
      if state.weather != nil, !fixture.isConnected { return "fresh weather offline" }
      if state.weather != nil, !fixture.status.isAuthorized { return "fresh weather unauthorized" }
      if state.currentPlace != nil, !fixture.status.isAuthorized { return "a place unauthorized" }
      return nil
    }
    #expect(counterexample == nil)
  }

  @Test func `no lookup starts offline, before the path is known or without authorization`() {
    let counterexample = Self.counterexample(seed: 3) { fixture, _, actions in
      for action in actions {
        switch action {
        case .search(_, let location):
          if location != fixture.newest { return "an older location is looked up" }
          fallthrough
        case .fetch:
          if !fixture.isConnected { return "\(action) without a network" }
          if !fixture.status.isAuthorized { return "\(action) with status \(fixture.status)" }
        case .startUpdatingLocation:
          if !fixture.status.isAuthorized { return "\(action) with status \(fixture.status)" }
        default: break
        }
      }
      return nil
    }
    #expect(counterexample == nil)
  }

  @Test func `a failed lookup changes neither the place nor the weather`() {
    var previous = WeatherState()
    let counterexample = Self.counterexample(seed: 4) { fixture, event, _ in
      defer { previous = fixture.machine.state }
      switch event {
      case .placeFailed, .weatherFailed: break
      default: return nil
      }
      let after = fixture.machine.state
      if after.currentPlace != previous.currentPlace || after.weather != previous.weather
        || after.lastKnownWeather != previous.lastKnownWeather
      {
        return "a failed lookup changed what is shown"
      }
      return nil
    }
    #expect(counterexample == nil)
  }

  /// The final inputs of a sequence.
  private struct FinalInputs {
    var path: NetworkPath
    var status: AuthorizationStatus
    var location: Location
    /// The index of the path among the events.
    var position: Int

    init(_ generator: inout SeededGenerator) {
      path = paths.randomElement(using: &generator) ?? paths[0]
      status = AuthorizationStatus.allCases.randomElement(using: &generator) ?? .denied
      location = WeatherMachinePropertyTests.location(&generator)
      position = Int.random(in: 0...2, using: &generator)
    }

    var events: [WeatherMachine.Event] {
      // Locations are only delivered after authorization.
      var events: [WeatherMachine.Event] = [.authorization(status), .locations([location])]
      events.insert(.path(path), at: position)
      return events
    }
  }

  /// Returns a fixture after up to 60 random events.
  private static func worldAfterRandomEvents(_ generator: inout SeededGenerator) -> Fixture {
    var fixture = Fixture()
    for _ in 0..<Int.random(in: 0..<60, using: &generator) {
      _ = fixture.send(randomEvent(in: fixture, &generator))
    }
    return fixture
  }

  /// Sends the final inputs, replies to all requests, and makes the timer fire.
  private static func finish(_ fixture: inout Fixture, by ending: FinalInputs) -> WeatherState {
    // A change of authorization resets an earlier `denied` error.
    if fixture.isDenied {
      _ = fixture.send(.authorization(ending.status == .denied ? .restricted : .denied))
    }
    for event in ending.events { _ = fixture.send(event) }
    replyToAll(in: &fixture)
    // Wait longer than the minimum interval and any requested pause.
    let end = fixture.now.advanced(byNanoseconds: 100_000_000_000)
    while let deadline = fixture.deadline, deadline <= end {
      fixture.now = max(fixture.now, deadline)
      _ = fixture.send(.timerFired)
      replyToAll(in: &fixture)
    }
    return fixture.machine.state
  }

  /// Replies to the newest request and to all resulting requests, without errors.
  private static func replyToAll(in fixture: inout Fixture) {
    while let request = fixture.requests.last {
      fixture.requests = []
      switch request {
      case .search(let number, let location):
        let place = Place.of(location.coordinate)
        _ = fixture.send(.place(number, place.id % 5 == 0 ? nil : place))
      case .fetch(let number, let location, _):
        _ = fixture.send(.weather(number, .moderate(at: location.coordinate)))
      default: break
      }
    }
  }

  @Test func `the final state of the model depends only on the final inputs`() {
    var shown = 0
    for sequence in 0..<RandomInputs.count(10_000 as UInt64) {
      var generator = SeededGenerator(seed: 5 << 32 | sequence)
      var worlds = [
        Self.worldAfterRandomEvents(&generator), Self.worldAfterRandomEvents(&generator),
      ]
      let ending = FinalInputs(&generator)
      var states: [WeatherState] = []
      for index in worlds.indices {
        var state = Self.finish(&worlds[index], by: ending)
        if let violation = Self.violation(in: state, ending.path, ending.status, ending.location) {
          Issue.record("sequence \(sequence): \(violation)\n\(worlds[index].events)")
          return
        }
        shown += state.weather == nil ? 0 : 1
        // Ignore arrival times and values that depend on earlier events.
        state.lastKnownWeather?.receivedAt = .at(0)
        if state.weather == nil { state.lastKnownWeather = nil }
        if !(ending.path.isSatisfied && ending.status.isAuthorized) { state.lastError = nil }
        if !ending.path.isSatisfied { state.currentPlace = nil }
        // Ignore the coordinate of the report, which may be that of an earlier location nearby.
        if state.weather != nil {
          state.weather = .moderate(at: ending.location.coordinate)
          state.lastKnownWeather?.report = .moderate(at: ending.location.coordinate)
        }
        if let id = state.currentPlace?.id, id == Place.of(ending.location.coordinate).id {
          state.currentPlace = .of(ending.location.coordinate)
          if state.weather != nil {
            state.lastKnownWeather?.place = .of(ending.location.coordinate)
          }
        }
        states.append(state)
      }
      guard states[0] == states[1] else {
        Issue.record("sequence \(sequence): \(states)\n\(worlds.map(\.events))")
        return
      }
    }
    // Check that enough of the compared states contain weather.
    #expect(shown > RandomInputs.count(2_000), "weather is shown after \(shown) sequences")
  }

  /// Compares a state with the expected state for the inputs, and returns the first difference.
  private static func violation(
    in state: WeatherState, _ path: NetworkPath, _ status: AuthorizationStatus,
    _ location: Location
  ) -> String? {
    if state.path != (path.isSatisfied ? .connected : .notConnected) { return "path" }
    if (state.authorizationAlert != nil) != status.isRefused { return "alert" }
    guard status.isAuthorized else {
      return state.weather == nil && state.currentPlace == nil ? nil : "shown without authorization"
    }
    guard path.isSatisfied else { return state.weather == nil ? nil : "shown offline" }
    let place = Place.of(location.coordinate)
    if place.id % 5 == 0 {
      if state.currentPlace != nil || state.weather != nil { return "an unknown place" }
      return state.lastError == nil ? nil : "error \(state.lastError, default: "")"
    }
    if state.currentPlace?.id != place.id { return "place" }
    guard let weather = state.weather, isNear(location, weather) else { return "weather" }
    if weather != .moderate(at: weather.coordinate) { return "weather" }
    if state.lastKnownWeather?.report != state.weather { return "last known" }
    return state.lastError == nil ? nil : "error \(state.lastError, default: "")"
  }
}
