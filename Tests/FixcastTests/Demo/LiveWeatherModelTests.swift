// SPDX-License-Identifier: Apache-2.0

import Daemon
import DaemonClient
import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import PathMonitorClientLive
import Positioning
import ReceiverSimulator
import Receivers
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import fixcast

/// The weather feature with live clients.
@Suite("The weather model with live clients", .timeLimit(.minutes(5)))
@MainActor struct LiveWeatherModelTests {
  @Test func `with live clients, the weather model shows a place and its weather`()
    async throws
  {
    let server = try await DemoWeatherServer()
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedWhenInUse), purpose: "Test")
    let weatherClient = WeatherClient.openMeteo(OpenMeteo(baseURL: server.baseURL))
    let model = WeatherModel(
      locationClient: .live(manager), pathMonitor: .live(to: .loopback),
      weatherClient: weatherClient, clock: ContinuousClock())
    #expect(model.weather == nil && model.lastError == nil)

    let receiver = try SimulatedReceiver(.init(start: UTCTime(secondsSince1970: 1_767_225_600)))
    let clock = ManualClock()
    let positions = EventRecorder<Void>()
    let source = SimulatedSource(receiver: receiver, clock: clock)
    let pump = Task {
      await source.run { event in
        manager.ingest(event)
        if case .fix(let fix) = event, fix.coordinate != nil { positions.record(()) }
      }
    }
    while positions.events.isEmpty, !Task.isCancelled {
      await clock.waitForSleepers(1)
      clock.advanceToNextDeadline()
    }
    for await state in model.states() where state.weather != nil || state.lastError != nil { break }
    #expect(model.lastError == nil)
    #expect(model.isConnected)
    #expect(model.currentPlace != nil)
    #expect(model.weather?.isSimulated == true)
    #expect(model.lastKnownWeather?.place == model.currentPlace)
    pump.cancel()
    await pump.value
    await server.stop()
  }
}
