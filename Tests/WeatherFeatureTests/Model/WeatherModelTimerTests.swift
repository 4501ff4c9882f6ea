// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// What time alone brings: nothing else is told to the model meanwhile.
@Suite("The weather model and the time", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelTimerTests {
  private let path = PlayedPath()
  private let location = PlayedLocation(.authorizedWhenInUse)
  private let weather = PlayedWeather()
  private let clock = ManualClock()

  /// A model that shows the weather of place 40.
  private func model() async -> WeatherModel {
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    return model
  }

  @Test func `the newest location that came too soon is looked up when it is due`() async {
    let model = await model()
    clock.advance(by: .seconds(10))
    for latitude in [41.0, 42] { location.locate(.at(latitude)) }
    await model.takeAll(from: location)
    #expect(weather.calls.events.count == 2)
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .seconds(50))
    await model.wait { $0.weather?.coordinate == .at(42, 0) }
    #expect(model.title == "Place 42")
    #expect(weather.calls.events.suffix(2) == [.search(.at(42, 0)), .weather(.at(42, 0))])
  }

  @Test func `a lookup that failed is made again`() async {
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

  @Test func `weather is fresh for half an hour, and what was last known then`() async {
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

  @Test func `weather that is too old is replaced without a new location`() async {
    let model = await model()
    await clock.waitForSleepers()
    clock.advanceToNextDeadline()
    await weather.calls.wait(for: 4)
    await model.wait { $0.weather != nil }
    #expect(model.lastKnownWeatherAgeSeconds == 0)
  }

  @Test func `a path that flaps shows what is fresh, and asks once a minute at most`() async {
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

  @Test func `a longer loss brings nothing back as fresh, and is followed by a lookup`() async {
    let weather = PlayedWeather(holding: [.search(.at(40, 0))])
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

  @Test func `a tap looks up where the board is, and asks the manager for nothing`() async {
    let model = await model()
    model.locationButtonTapped()
    await weather.calls.wait(for: 4)
    #expect(weather.calls.events.suffix(2) == [.search(.at(40, 0)), .weather(.at(40, 0))])
    #expect(location.requests.events == [.start])
  }

  @Test func `without a network a tap looks nothing up`() async {
    let model = await model()
    path.send(.unsatisfied)
    await model.wait { !$0.isConnected }
    model.locationButtonTapped()
    await model.takeAll(from: location)
    #expect(weather.calls.events.count == 2)
  }

  @Test func `a model that is released sleeps no more`() async {
    var model: WeatherModel? = await model()
    await clock.waitForSleepers()
    weak let released = model
    model = nil
    #expect(released == nil)
    #expect(clock.sleeperCount == 0)
  }
}
