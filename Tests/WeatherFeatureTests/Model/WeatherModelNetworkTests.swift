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

/// Tests of network paths and lookups.
@Suite("Weather model with network paths", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelNetworkTests {
  private let path = MockPathMonitor()
  private let location = MockLocationManager(.authorizedWhenInUse)

  @Test func `the newest location that arrived offline is looked up on reconnect`() async {
    let weather = MockWeatherProvider()
    let model = WeatherModel(location, path, weather)
    path.send(.unsatisfied)
    await model.wait { $0.path == .notConnected }
    for latitude in [40.0, 41, 42] { location.locate(.at(latitude)) }
    await model.handleAll(from: location)
    #expect(weather.calls.events.isEmpty)
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 42")
    #expect(weather.calls.events == [.search(.at(42, 0)), .weather(.at(42, 0))])
  }

  @Test func `no lookup starts before the path is known`() async {
    let weather = MockWeatherProvider()
    let model = WeatherModel(location, path, weather)
    #expect(model.state.path == .unknown)
    #expect(!model.isConnected)
    #expect(model.state.connectionMessage == nil)
    location.locate(.at(40))
    await model.handleAll(from: location)
    #expect(weather.calls.events.isEmpty)
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
  }

  @Test func `a change between satisfied paths causes no lookup`() async {
    let weather = MockWeatherProvider()
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    location.locate(.at(40))
    path.send(.satisfied)
    await model.wait { $0.weather != nil }
    for isExpensive in [true, false, true, false] {
      // Advance past the minimum interval, within which no lookup starts in any case.
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

  @Test func `each weather model has its own subscriptions until its release`() async throws {
    let counts = Mutex<[String: [Int]]>([:])
    let path = MockPathMonitor { count in counts.withLock { $0["path", default: []].append(count) }
    }
    let location = MockLocationManager(.authorizedWhenInUse) { count in
      counts.withLock { $0["location", default: []].append(count) }
    }
    #expect(counts.withLock { $0.isEmpty })
    var first: WeatherModel? = WeatherModel(location, path, MockWeatherProvider())
    let second = WeatherModel(location, path, MockWeatherProvider())
    path.send(.satisfied)
    await first?.wait { $0.isConnected }
    await second.wait { $0.isConnected }
    first = nil
    path.send(.unsatisfied)
    await second.wait { $0.path == .notConnected }
    let third = WeatherModel(location, path, MockWeatherProvider())
    path.send(.satisfied)
    await third.wait { $0.isConnected }
    await second.wait { $0.isConnected }
    #expect(counts.withLock { $0 } == ["path": [1, 2, 1, 2], "location": [1, 2, 1, 2]])
  }

  @Test func `a late reply does not replace a newer reply`() async {
    let weather = MockWeatherProvider(holding: [.search(.at(40, 0)), .weather(.at(41, 0))])
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 1)
    location.locate(.at(41))
    await model.handleAll(from: location)
    model.locationButtonTapped()
    await weather.calls.wait { $0.contains(.weather(.at(41, 0))) }
    location.locate(.at(42))
    await model.handleAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.weather != nil }
    await weather.release(.search(.at(40, 0)))
    await weather.release(.weather(.at(41, 0)))
    await model.handleAll(from: location)
    #expect(model.title == "Place 42")
    #expect(model.weather?.coordinate == .at(42, 0))
    // The late place causes no weather lookup.
    #expect(!weather.calls.events.contains(.weather(.at(40, 0))))
  }

  @Test func `weather that arrives after a network loss is not shown`() async {
    let weather = MockWeatherProvider(holding: [.weather(.at(40, 0))])
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 2)
    path.send(.unsatisfied)
    await model.wait { $0.path == .notConnected }
    await weather.release(.weather(.at(40, 0)))
    await model.handleAll(from: location)
    #expect(model.weather == nil)
    #expect(model.lastKnownWeather == nil)
    #expect(model.title == "Place 40")
  }

  @Test func `the last known weather and its age stay available offline`() async {
    let clock = ManualClock()
    let model = WeatherModel(location, path, MockWeatherProvider(), clock: clock)
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

  @Test func `a model that is released during a lookup stops updates and subscriptions`() async {
    let counts = EventRecorder<Int>()
    let path = MockPathMonitor { counts.record($0) }
    let weather = MockWeatherProvider(holding: [.search(.at(40, 0))])
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

  @Test func `a location without a place causes no weather lookup`() async {
    let weather = MockWeatherProvider()
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    weather.removePlaces()
    location.locate(.at(41))
    await model.handleAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.currentPlace == nil }
    #expect(model.weather == nil)
    #expect(model.title == "Weather")
    #expect(weather.calls.events.last == .search(.at(41, 0)))
    // The same location causes no further search.
    location.locate(.at(41))
    await model.handleAll(from: location)
    #expect(weather.calls.events.count == 3)
  }

  @Test func `a failed weather lookup keeps the place and the previous weather`() async {
    let weather = MockWeatherProvider()
    weather.fail(.network("no route to host"))
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.lastError == .weather(.network("no route to host")) }
    #expect(model.title == "Place 40")
    #expect(model.weatherResults.isEmpty)
    weather.fail(nil)
    // After a tap, the model looks up the last location without waiting for a new one.
    model.locationButtonTapped()
    await model.wait { $0.weather != nil }
    #expect(model.lastError == nil)
    weather.fail(.timedOut(afterSeconds: 10))
    location.locate(.at(40.5))
    await model.handleAll(from: location)
    model.locationButtonTapped()
    await model.wait { $0.lastError == .weather(.timedOut(afterSeconds: 10)) }
    #expect(model.weather?.coordinate == .at(40, 0))
  }

  @Test func `a flakey path monitor starts disconnected and changes every two seconds`() async {
    // Use a separate clock, so that only the path monitor sleeps on this clock.
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

  @Test func `a tap does not start a lookup before the provider's Retry-After has passed`() async {
    let weather = MockWeatherProvider()
    weather.fail(.rateLimited(retryAfterSeconds: 300, reason: nil))
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.lastError != nil }
    weather.fail(nil)
    model.locationButtonTapped()
    location.locate(.at(40))
    await model.handleAll(from: location)
    #expect(weather.calls.events.count == 2)
    // The held location is looked up after the pause, even if no new location arrives.
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(300))
    await model.wait { $0.weather != nil }
  }
}
