// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Observation
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Whoever observes the weather model", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelObservationTests {
  private let path = PlayedPath()
  private let location = PlayedLocation(.authorizedWhenInUse)

  @Test func `is told of the next change by observation tracking`() async {
    let model = WeatherModel(location, path, PlayedWeather())
    let told = EventRecorder<String>()
    let title = withObservationTracking {
      model.title
    } onChange: {
      told.record("changed")
    }
    #expect(title == "Weather")
    #expect(told.events.isEmpty)
    path.send(.satisfied)
    #expect(await told.wait(for: 1) == ["changed"])
  }

  @Test func `is given each state in order, the present first, and the end with the model`() async {
    var model: WeatherModel? = WeatherModel(location, path, PlayedWeather())
    path.send(.satisfied)
    await model?.wait { $0.isConnected }
    let states = model?.states()
    location.locate(.at(40))
    await model?.wait { $0.weather != nil }
    let late = model?.states()
    model = nil
    var seen: [WeatherState] = []
    for await state in states ?? .finished { seen.append(state) }
    #expect(seen.map(\.title) == ["Weather", "Place 40", "Place 40"])
    #expect(seen.map { $0.weather != nil } == [false, false, true])
    #expect(seen.allSatisfy { $0.isConnected })
    var last: [WeatherState] = []
    for await state in late ?? .finished { last.append(state) }
    #expect(last == seen.suffix(1))
  }
}

extension AsyncStream where Element == WeatherState {
  fileprivate static var finished: AsyncStream { AsyncStream { $0.finish() } }
}
