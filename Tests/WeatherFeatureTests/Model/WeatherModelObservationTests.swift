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

@Suite("Observation of the weather model", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelObservationTests {
  private let path = MockPathMonitor()
  private let location = MockLocationManager(.authorizedWhenInUse)

  @Test func `observation tracking reports the next change`() async {
    let model = WeatherModel(location, path, MockWeatherProvider())
    let changes = EventRecorder<String>()
    let title = withObservationTracking {
      model.title
    } onChange: {
      changes.record("changed")
    }
    #expect(title == "Weather")
    #expect(changes.events.isEmpty)
    path.send(.satisfied)
    #expect(await changes.wait(for: 1) == ["changed"])
  }

  @Test func `the states stream yields each state and ends with the model`() async {
    var model: WeatherModel? = WeatherModel(location, path, MockWeatherProvider())
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
