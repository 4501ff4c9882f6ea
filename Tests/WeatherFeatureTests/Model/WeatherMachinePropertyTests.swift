// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient

@testable import WeatherFeature

/// What holds however paths, authorization, locations, answers and failures are interleaved:
/// 10,000 sequences each, of up to 60 events.
@Suite("Under any interleaving", .timeLimit(.minutes(5)))
struct WeatherMachinePropertyTests {
  /// A machine, with whatever it ever asked for and may still be answered.
  private struct World {
    var machine = WeatherMachine()
    var now = MonotonicTime(nanoseconds: 0)
    var asked: [WeatherMachine.Action] = []
    var told: [WeatherMachine.Event] = []
    // What the test itself knows, by the events alone.
    var isConnected = false
    var status = AuthorizationStatus.notDetermined
    var newest: Location?
    /// Whether the manager has said since the last grant that it may not know the location.
    var isDenied = false
    var deadline: MonotonicTime?
    /// How long it takes to every tenth event.
    var pause: Int64 = 100_000_000_000

    mutating func send(_ event: WeatherMachine.Event) -> [WeatherMachine.Action] {
      told.append(event)
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
      // Mostly within the least interval between two lookups, and beyond it now and then.
      now = now.advanced(byNanoseconds: told.count % 10 == 0 ? pause : 1_000_000_000)
      let actions = machine.handle(event, now: now)
      for action in actions {
        switch action {
        case .startTimer(let end): deadline = end
        case .stopTimer: deadline = nil
        default: break
        }
      }
      asked += actions.filter { action in
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

  /// One of eighty, each too far from the others for the weather there, or one to four kilometres
  /// from it, where the weather is the same.
  private static func location(_ generator: inout SeededGenerator) -> Location {
    let latitude = Double(Int.random(in: 10..<90, using: &generator)) / 10
    let isNear = Bool.random(using: &generator)
    return .at(latitude + (isNear ? .random(in: 0.009...0.036, using: &generator) : 0))
  }

  /// The answer to what was asked, or its failure.
  private static func answer(
    to action: WeatherMachine.Action, _ generator: inout SeededGenerator
  ) -> WeatherMachine.Event? {
    let fails = UInt8.random(in: 0..<8, using: &generator) == 0
    let error = fails ? errors.randomElement(using: &generator) : nil
    switch action {
    case .search(let number, let location):
      if let error { return .placeFailed(number, error) }
      let place = Place.of(location.coordinate)
      // Nobody knows a place in every fifth degree.
      return .place(number, place.id % 5 == 0 ? nil : place)
    case .fetch(let number, let location, _):
      if let error { return .weatherFailed(number, error) }
      return .weather(number, .moderate(at: location.coordinate))
    default: return nil
    }
  }

  private static func anything(
    in world: World, _ generator: inout SeededGenerator
  ) -> WeatherMachine.Event {
    let location = location(&generator)
    switch UInt8.random(in: 0..<24, using: &generator) {
    case 0..<2: return .path(paths[0])
    case 2: return .path(paths.randomElement(using: &generator) ?? paths[0])
    case 3:
      return .authorization(
        AuthorizationStatus.allCases.randomElement(using: &generator) ?? .denied)
    case 4: return .authorization(.authorizedAlways)
    case 5: return .authorization(.authorizedWhenInUse)
    case 6..<8: return .locations([location])
    case 8..<10:
      // On the way: from where it was, as often as from anywhere.
      let latitude = world.newest?.coordinate.latitudeDegrees ?? 5
      let tenth = (latitude * 10 + 1e-6).rounded(.down) / 10
      return .locations([.at(tenth + .random(in: 0...0.036, using: &generator))])
    case 13: return .timerFired
    case 10..<12: return .locationButtonTapped
    case 12:
      let isEnd = UInt8.random(in: 0..<4, using: &generator) == 0
      return .locationFailed(isEnd ? .denied : .locationUnknown)
    default:
      // To the newest question or to any before it, once or more often, and in any order.
      let isNewest = UInt8.random(in: 0..<3, using: &generator) > 0
      let question = isNewest ? world.asked.last : world.asked.randomElement(using: &generator)
      return question.flatMap { answer(to: $0, &generator) } ?? .locations([location])
    }
  }

  /// The first sequence that breaks a rule, as text; `nil` where none does.
  private static func counterexample(
    seed: UInt64, pauseSeconds: Int64 = 100,
    _ rule: (World, WeatherMachine.Event, [WeatherMachine.Action]) -> String?
  ) -> String? {
    for sequence in 0..<10_000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed << 32 | sequence)
      var world = World()
      world.pause = pauseSeconds * 1_000_000_000
      for _ in 0..<60 {
        let event = anything(in: world, &generator)
        let actions = world.send(event)
        if let complaint = rule(world, event, actions) {
          let told = world.told.map { "\($0)" }.joined(separator: "\n")
          return "sequence \(sequence): \(complaint)\n\(told)"
        }
      }
    }
    return nil
  }

  @Test func `weather is never shown for another place than the current one`() {
    var shown = 0
    var near = 0
    let found = Self.counterexample(seed: 1) { world, event, actions in
      let state = world.machine.state
      if let weather = state.weather {
        shown += 1
        if case .locations(let locations) = event, let location = locations.last,
          location.coordinate != weather.coordinate,
          state.lastKnownWeather.map({ $0.ageSeconds(at: world.now) >= 60 }) ?? false,
          Self.isNear(location, weather)
        {
          // A tap or a failure makes it due all the same.
          near += actions.contains { if case .search = $0 { true } else { false } } ? 0 : 1
        }
        let place = Place.of(weather.coordinate)
        if state.currentPlace?.id != place.id {
          return "\(place.title) is shown for \(state.title)"
        }
      }
      if let known = state.lastKnownWeather,
        Place.of(known.report.coordinate).id != known.place.id
      {
        return "what is last known is for another place than it says"
      }
      return nil
    }
    #expect(found == nil)
    // Weather there is, or the rule would be empty.
    #expect(shown > 50_000, "shown after \(shown) of 600,000 events")
    // So there is a board that has moved, and not far enough.
    #expect(near > 1_000, "moved, and not far, \(near) times in 600,000 events")
  }

  /// Whether the weather there is the weather here.
  private static func isNear(_ location: Location, _ weather: WeatherReport) -> Bool {
    location.coordinate.distanceMeters(to: weather.coordinate) < LookupPolicy().distanceMeters
  }

  @Test func `weather that is too old is never shown as fresh, and a timer sees to that`() {
    let longest = LookupPolicy().maximumAgeSeconds
    var expired = 0
    var before: WeatherState?
    let found = Self.counterexample(seed: 6, pauseSeconds: Int64(longest)) { world, event, _ in
      let state = world.machine.state
      defer { before = state }
      guard let known = state.lastKnownWeather else { return nil }
      let age = known.ageSeconds(at: world.now)
      guard state.weather != nil else {
        let wasShown = before?.weather != nil && before?.lastKnownWeather == known
        if wasShown, age >= longest { expired += 1 }
        return nil
      }
      if age >= longest { return "weather of \(age) s is shown" }
      guard let deadline = world.deadline else { return "nothing sees to its end" }
      return deadline.seconds(since: known.receivedAt) > longest ? "its end is too late" : nil
    }
    #expect(found == nil)
    // Some does expire, or the rule would be empty.
    #expect(expired > 1_000, "expired \(expired) times in 600,000 events")
  }

  @Test func `weather is never shown as fresh offline or under no grant`() {
    let found = Self.counterexample(seed: 2) { world, _, _ in
      let state = world.machine.state
      if state.isConnected != world.isConnected { return "connected is \(state.path)" }
      if state.weather != nil, !world.isConnected { return "fresh weather offline" }
      if state.weather != nil, !world.status.isAuthorized { return "fresh weather unauthorized" }
      if state.currentPlace != nil, !world.status.isAuthorized { return "a place unauthorized" }
      return nil
    }
    #expect(found == nil)
  }

  @Test func `nothing is asked for offline, before the path is known or under no grant`() {
    let found = Self.counterexample(seed: 3) { world, _, actions in
      for action in actions {
        switch action {
        case .search(_, let location):
          if location != world.newest { return "an older location is looked up" }
          fallthrough
        case .fetch:
          if !world.isConnected { return "\(action) without a network" }
          if !world.status.isAuthorized { return "\(action) under \(world.status)" }
        case .startUpdatingLocation:
          if !world.status.isAuthorized { return "\(action) under \(world.status)" }
        default: break
        }
      }
      return nil
    }
    #expect(found == nil)
  }

  @Test func `a failure wipes nothing that is shown`() {
    var before = WeatherState()
    let found = Self.counterexample(seed: 4) { world, event, _ in
      defer { before = world.machine.state }
      switch event {
      case .placeFailed, .weatherFailed: break
      default: return nil
      }
      let after = world.machine.state
      if after.currentPlace != before.currentPlace || after.weather != before.weather
        || after.lastKnownWeather != before.lastKnownWeather
      {
        return "a failed lookup changed what is shown"
      }
      return nil
    }
    #expect(found == nil)
  }

  /// What a world is told last, whatever was before.
  private struct Ending {
    var path: NetworkPath
    var status: AuthorizationStatus
    var location: Location
    /// Whether the path is told before, between or after the others.
    var position: Int

    init(_ generator: inout SeededGenerator) {
      path = paths.randomElement(using: &generator) ?? paths[0]
      status = AuthorizationStatus.allCases.randomElement(using: &generator) ?? .denied
      location = WeatherMachinePropertyTests.location(&generator)
      position = Int.random(in: 0...2, using: &generator)
    }

    var events: [WeatherMachine.Event] {
      // A location comes under a grant only.
      var events: [WeatherMachine.Event] = [.authorization(status), .locations([location])]
      events.insert(.path(path), at: position)
      return events
    }
  }

  /// Whatever a world may be told, of up to 60 events.
  private static func history(_ generator: inout SeededGenerator) -> World {
    var world = World()
    for _ in 0..<Int.random(in: 0..<60, using: &generator) {
      _ = world.send(anything(in: world, &generator))
    }
    return world
  }

  /// Tells a world its last inputs, and then lets what was asked be answered and the timer fire.
  private static func finish(_ world: inout World, by ending: Ending) -> WeatherState {
    // That it was denied is an input that a change of authorization follows.
    if world.isDenied {
      _ = world.send(.authorization(ending.status == .denied ? .restricted : .denied))
    }
    for event in ending.events { _ = world.send(event) }
    answerAll(in: &world)
    // For longer than the least interval, and than any provider wanted to be left alone.
    let end = world.now.advanced(byNanoseconds: 100_000_000_000)
    while let deadline = world.deadline, deadline <= end {
      world.now = max(world.now, deadline)
      _ = world.send(.timerFired)
      answerAll(in: &world)
    }
    return world.machine.state
  }

  /// Answers the newest question and those that follow from it, without a failure.
  private static func answerAll(in world: inout World) {
    while let question = world.asked.last {
      world.asked = []
      switch question {
      case .search(let number, let location):
        let place = Place.of(location.coordinate)
        _ = world.send(.place(number, place.id % 5 == 0 ? nil : place))
      case .fetch(let number, let location, _):
        _ = world.send(.weather(number, .moderate(at: location.coordinate)))
      default: break
      }
    }
  }

  @Test func `the last state is a function of the last inputs`() {
    var shown = 0
    for sequence in 0..<10_000 as Range<UInt64> {
      var generator = SeededGenerator(seed: 5 << 32 | sequence)
      var worlds = [Self.history(&generator), Self.history(&generator)]
      let ending = Ending(&generator)
      var states: [WeatherState] = []
      for index in worlds.indices {
        var state = Self.finish(&worlds[index], by: ending)
        if let complaint = Self.complaint(about: state, ending.path, ending.status, ending.location)
        {
          Issue.record("sequence \(sequence): \(complaint)\n\(worlds[index].told)")
          return
        }
        shown += state.weather == nil ? 0 : 1
        // When something arrived, and what was known or failed elsewhere, is history.
        state.lastKnownWeather?.receivedAt = MonotonicTime(nanoseconds: 0)
        if state.weather == nil { state.lastKnownWeather = nil }
        if !(ending.path.isSatisfied && ending.status.isAuthorized) { state.lastError = nil }
        if !ending.path.isSatisfied { state.currentPlace = nil }
        // Nor is it asked for again where the board was near before.
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
        Issue.record("sequence \(sequence): \(states)\n\(worlds.map(\.told))")
        return
      }
    }
    // Weather there is, or little would be compared.
    #expect(shown > 2_000, "weather is shown at \(shown) of 20,000 ends")
  }

  /// What a state is to be after these inputs, said without the machine.
  private static func complaint(
    about state: WeatherState, _ path: NetworkPath, _ status: AuthorizationStatus,
    _ location: Location
  ) -> String? {
    if state.path != (path.isSatisfied ? .connected : .notConnected) { return "path" }
    if (state.authorizationAlert != nil) != status.isRefused { return "alert" }
    guard status.isAuthorized else {
      return state.weather == nil && state.currentPlace == nil ? nil : "shown without a grant"
    }
    guard path.isSatisfied else { return state.weather == nil ? nil : "shown offline" }
    let place = Place.of(location.coordinate)
    if place.id % 5 == 0 {
      if state.currentPlace != nil || state.weather != nil { return "a place that nobody knows" }
      return state.lastError == nil ? nil : "error \(state.lastError, default: "")"
    }
    if state.currentPlace?.id != place.id { return "place" }
    guard let weather = state.weather, isNear(location, weather) else { return "weather" }
    if weather != .moderate(at: weather.coordinate) { return "weather" }
    if state.lastKnownWeather?.report != state.weather { return "last known" }
    return state.lastError == nil ? nil : "error \(state.lastError, default: "")"
  }
}
