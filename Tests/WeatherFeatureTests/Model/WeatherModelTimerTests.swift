// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// Tests of state changes that only a timer causes.
@Suite("Weather model with timers", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelTimerTests {
  private let path = MockPathMonitor()
  private let location = MockLocationManager(.authorizedWhenInUse)
  private let weather = MockWeatherProvider()
  private let clock = ManualClock()

  /// Returns a model that shows the weather of place 40.
  private func model() async -> WeatherModel {
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    return model
  }

  @Test func `the newest waiting location is looked up as soon as a lookup is due`() async {
    let model = await model()
    clock.advance(by: .seconds(10))
    for latitude in [41.0, 42] { location.locate(.at(latitude)) }
    await model.handleAll(from: location)
    #expect(weather.calls.events.count == 2)
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(50))
    await model.wait { $0.weather?.coordinate == .at(42, 0) }
    #expect(model.title == "Place 42")
    #expect(weather.calls.events.suffix(2) == [.search(.at(42, 0)), .weather(.at(42, 0))])
  }

  @Test func `a failed lookup is retried after a minute without a new location`() async {
    weather.fail(.network("no route to host"))
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.lastError == .weather(.network("no route to host")) }
    weather.fail(nil)
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(60))
    await model.wait { $0.weather != nil }
    #expect(model.lastError == nil)
  }

  @Test func `weather expires after half an hour and becomes the last known weather`() async {
    let model = await model()
    weather.fail(.network("no route to host"))
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(1800))
    await model.wait { $0.lastError == .weather(.network("no route to host")) }
    #expect(model.isConnected)
    #expect(model.weather == nil)
    #expect(model.title == "Place 40")
    #expect(model.lastKnownWeather?.place.id == 40)
    #expect(model.lastKnownWeatherAgeSeconds == 1800)
  }

  @Test func `expired weather is looked up again without a new location`() async {
    let model = await model()
    await clock.waitForSleepers()
    clock.advanceToNextDeadline()
    await weather.calls.wait(for: 4)
    await model.wait { $0.weather != nil }
    #expect(model.lastKnownWeatherAgeSeconds == 0)
  }

  @Test func `a flapping path shows fresh weather and causes one lookup per minute`() async {
    let model = await model()
    for _ in 1...5 {
      clock.advance(by: .seconds(2))
      path.send(.unsatisfied)
      await model.wait { !$0.isConnected && $0.weather == nil }
      path.send(.satisfied)
      await model.wait { $0.isConnected && $0.weather != nil }
    }
    #expect(weather.calls.events.count == 2)
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(50))
    await weather.calls.wait(for: 4)
  }

  @Test func `after a network loss of more than a minute, new weather is looked up`() async {
    let weather = MockWeatherProvider(holding: [.search(.at(40, 0))])
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await weather.calls.wait(for: 1)
    await weather.release(.search(.at(40, 0)))
    await model.wait { $0.weather != nil }
    path.send(.unsatisfied)
    await model.wait { !$0.isConnected }
    clock.advance(by: .seconds(60))
    let states = model.states()
    path.send(.satisfied)
    var seen: [Bool] = []
    for await state in states where state.isConnected {
      seen.append(state.weather != nil)
      if state.weather != nil { break }
    }
    #expect(seen == [false, true])
  }

  @Test func `a tap starts a lookup for the last location, without a location request`() async {
    let model = await model()
    model.locationButtonTapped()
    await weather.calls.wait(for: 4)
    #expect(weather.calls.events.suffix(2) == [.search(.at(40, 0)), .weather(.at(40, 0))])
    #expect(location.requests.events == [.start])
  }

  @Test func `a tap without a network causes no lookup`() async {
    let model = await model()
    path.send(.unsatisfied)
    await model.wait { !$0.isConnected }
    model.locationButtonTapped()
    await model.handleAll(from: location)
    #expect(weather.calls.events.count == 2)
  }

  @Test func `a released model has no running timer`() async {
    var model: WeatherModel? = await model()
    await clock.waitForSleepers()
    weak let released = model
    model = nil
    #expect(released == nil)
    #expect(clock.sleeperCount == 0)
  }
}
