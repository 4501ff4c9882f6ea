// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherFeature

/// What the articles' own suite leaves open about the network and about lookups.
@Suite("The weather model and its network", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelNetworkTests {
  private let path = PlayedPath()
  private let location = PlayedLocation(.authorizedWhenInUse)

  @Test func `a location that arrives offline is looked up on reconnect, the newest only`() async {
    let weather = PlayedWeather()
    let model = WeatherModel(location, path, weather)
    path.send(.unsatisfied)
    await model.wait { $0.path == .notConnected }
    for latitude in [40.0, 41, 42] { location.locate(.at(latitude)) }
    await model.takeAll(from: location)
    #expect(weather.calls.events.isEmpty)
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 42")
    #expect(weather.calls.events == [.search(.at(42, 0)), .weather(.at(42, 0))])
  }

  @Test func `nothing is looked up before the path is known`() async {
    let weather = PlayedWeather()
    let model = WeatherModel(location, path, weather)
    #expect(model.state.path == .unknown)
    #expect(!model.isConnected)
    #expect(model.state.connectionMessage == nil)
    location.locate(.at(40))
    await model.takeAll(from: location)
    #expect(weather.calls.events.isEmpty)
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
  }

  @Test func `paths that are connected alike cause one lookup`() async {
    let weather = PlayedWeather()
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    location.locate(.at(40))
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
    for isExpensive in [true, false, true, false] {
      // Else the least interval between two lookups would be reason enough for none.
      clock.advance(by: .seconds(61))
      var satisfied = NetworkPath(status: .satisfied)
      satisfied.isExpensive = isExpensive
      path.send(satisfied)
    }
    path.send(.unsatisfied)
    path.send(.requiresConnection)
    await model.wait { $0.path == .notConnected }
    #expect(weather.calls.events.count == 2)
    clock.advance(by: .seconds(61))
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
    #expect(weather.calls.events.count == 4)
  }

  @Test func `it listens while it lives, each for itself`() async throws {
    let counts = Mutex<[String: [Int]]>([:])
    let path = PlayedPath { count in counts.withLock { $0["path", default: []].append(count) } }
    let location = PlayedLocation(.authorizedWhenInUse) { count in
      counts.withLock { $0["location", default: []].append(count) }
    }
    #expect(counts.withLock { $0.isEmpty })
    var first: WeatherModel? = WeatherModel(location, path, PlayedWeather())
    let second = WeatherModel(location, path, PlayedWeather())
    path.send(.satisfied)
    await first?.wait { $0.isConnected }
    await second.wait { $0.isConnected }
    first = nil
    path.send(.unsatisfied)
    await second.wait { $0.path == .notConnected }
    let third = WeatherModel(location, path, PlayedWeather())
    path.send(.satisfied)
    await third.wait { $0.isConnected }
    await second.wait { $0.isConnected }
    #expect(counts.withLock { $0 } == ["path": [1, 2, 1, 2], "location": [1, 2, 1, 2]])
  }

  @Test func `an answer that comes late overwrites no newer one`() async {
    let weather = PlayedWeather(holding: [.search(.at(40, 0)), .weather(.at(41, 0))])
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 1)
    location.locate(.at(41))
    await model.takeAll(from: location)
    model.locationButtonTapped()
    await weather.calls.wait { $0.contains(.weather(.at(41, 0))) }
    location.locate(.at(42))
    await model.takeAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.weather != nil }
    await weather.release(.search(.at(40, 0)))
    await weather.release(.weather(.at(41, 0)))
    await model.takeAll(from: location)
    #expect(model.title == "Place 42")
    #expect(model.weather?.coordinate == .at(42, 0))
    // The place that was found late is not asked about.
    #expect(!weather.calls.events.contains(.weather(.at(40, 0))))
  }

  @Test func `an answer that comes after the network went is not shown`() async {
    let weather = PlayedWeather(holding: [.weather(.at(40, 0))])
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 2)
    path.send(.unsatisfied)
    await model.wait { $0.path == .notConnected }
    await weather.release(.weather(.at(40, 0)))
    await model.takeAll(from: location)
    #expect(model.weather == nil)
    #expect(model.lastKnownWeather == nil)
    #expect(model.title == "Place 40")
  }

  @Test func `offline the last known weather stays, with its age`() async {
    let clock = ManualClock()
    let model = WeatherModel(location, path, PlayedWeather(), clock: clock)
    #expect(model.lastKnownWeatherAgeSeconds == nil)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    clock.advance(by: .seconds(600))
    path.send(.unsatisfied)
    await model.wait { $0.path == .notConnected }
    #expect(model.weather == nil)
    #expect(model.lastKnownWeather?.place.id == 40)
    #expect(model.lastKnownWeather?.report.now.temperatureDegreesCelsius == 25)
    #expect(model.lastKnownWeatherAgeSeconds == 600)
  }

  @Test func `it is released while everything runs, and stops what it started`() async {
    let counts = EventRecorder<Int>()
    let path = PlayedPath { counts.record($0) }
    let weather = PlayedWeather(holding: [.search(.at(40, 0))])
    var model: WeatherModel? = WeatherModel(location, path, weather)
    weak let released = model
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 1)
    #expect(released != nil)
    model = nil
    #expect(released == nil)
    #expect(location.requests.events == [.start, .stop])
    #expect(await counts.wait(for: 2) == [1, 0])
    await weather.release(.search(.at(40, 0)))
  }

  @Test func `where nobody knows a place there is none, and no weather is asked for`() async {
    let weather = PlayedWeather()
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    weather.forgetPlaces()
    location.locate(.at(41))
    await model.takeAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.currentPlace == nil }
    #expect(model.weather == nil)
    #expect(model.title == "Weather")
    #expect(weather.calls.events.last == .search(.at(41, 0)))
    // Nor is the same asked over and over.
    location.locate(.at(41))
    await model.takeAll(from: location)
    #expect(weather.calls.events.count == 3)
  }

  @Test func `weather that fails leaves the place, and what cannot be replaced`() async {
    let weather = PlayedWeather()
    weather.fail(.network("no route to host"))
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.lastError == .weather(.network("no route to host")) }
    #expect(model.title == "Place 40")
    #expect(model.weatherResults.isEmpty)
    weather.fail(nil)
    // A tap is answered for where the board is; it waits for no other location.
    model.locationButtonTapped()
    await model.wait { $0.weather != nil }
    #expect(model.lastError == nil)
    weather.fail(.timedOut(afterSeconds: 10))
    location.locate(.at(40.5))
    await model.takeAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.lastError == .weather(.timedOut(afterSeconds: 10)) }
    #expect(model.weather?.coordinate == .at(40, 0))
  }

  @Test func `a flakey path flips every two seconds, and is gone first`() async {
    // The path's own, so that nobody else sleeps by it.
    let clock = ManualClock()
    let model = WeatherModel(
      locationClient: location.client, pathMonitor: .flakey(clock: clock),
      weatherClient: .happyPath, clock: ManualClock())
    location.locate(.at(40))
    for expected in [WeatherState.Connection.notConnected, .connected, .notConnected, .connected] {
      await clock.waitForSleepers()
      #expect(model.state.path != expected)
      #expect(clock.advanceToNextDeadline() == .seconds(2))
      await model.wait { $0.path == expected && ($0.weather != nil) == $0.isConnected }
    }
  }

  @Test func `a provider that wants to be left alone is left alone by taps too`() async {
    let weather = PlayedWeather()
    weather.fail(.rateLimited(retryAfterSeconds: 300, reason: nil))
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.lastError != nil }
    weather.fail(nil)
    model.locationButtonTapped()
    location.locate(.at(40))
    await model.takeAll(from: location)
    #expect(weather.calls.events.count == 2)
    // Nor does the location that was held have to come once more.
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(300))
    await model.wait { $0.weather != nil }
  }
}
