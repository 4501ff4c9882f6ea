// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import LocationClient
import Testing
import WeatherClient
import WeatherFeature

/// The sample of "Coming from Cocoacasts" runs as described.
@Suite(.timeLimit(.minutes(5))) @MainActor struct CocoacastsTests {
  @Test func `the Cocoacasts sample shows the weather of the default location and device`()
    async
  {
    let lines = EventRecorder<String>()
    let model = makeRootViewModel(
      locationService: makeLocationService(.authorizedWhenInUse), weather: .happyPath
    ) { lines.record($0) }
    while model.weather?.subject != .device { await Task.yield() }
    #expect(model.error == nil)
    #expect(lines.events.last == "device: 20.0 °C")
  }

  @Test func `the Cocoacasts sample shows the error of another location service`() async {
    let lines = EventRecorder<String>()
    let show: @MainActor (String) -> Void = { lines.record($0) }
    // sample: begin
    let refusing = MockLocationService(.failure(.notAuthorizedToRequestLocation))
    let model = makeRootViewModel(
      locationService: refusing, weather: .happyPath, show: show)
    // sample: end
    let shown = await lines.wait(for: 2)
    #expect(shown.contains("defaultLocation: 20.0 °C"))
    #expect(shown.contains { $0.contains("not authorized") })
    #expect(model.error == .notAuthorizedToRequestLocation)
  }
}
