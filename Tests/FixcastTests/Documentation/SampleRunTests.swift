// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import ReceiverSimulator
import Receivers
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

/// The samples in the articles run and behave as described.
@Suite(.timeLimit(.minutes(2)))
struct SampleRunTests {
  private static func fix() -> Fix {
    var fix = Fix(mode: .threeDimensional)
    fix.coordinate = Coordinate(latitudeDegrees: 54.5, longitudeDegrees: 10.25)
    fix.receivedAt = .now()
    return fix
  }

  @Test func `the Core Location sample shows an authorized manager's locations`() async throws {
    let shown = EventRecorder<String>()
    let follower = Follower { shown.record($0) }
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    manager.delegate = follower
    while manager.authorizationStatus != .authorizedWhenInUse { await Task.yield() }
    await manager.waitUntilDelivered()
    manager.ingest(.fix(Self.fix()))
    #expect(await shown.wait(for: 1) == ["54.5 10.25"])
  }

  @Test func `the live updates sample shows the position of the board`() async throws {
    let shown = EventRecorder<String>()
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    let following = Task { await follow(manager) { shown.record($0) } }
    // The first update has no location, only the reason why there is none.
    _ = await shown.wait(for: 1)
    while manager.authorizationStatus != .authorizedWhenInUse { await Task.yield() }
    manager.ingest(.fix(Self.fix()))
    await shown.wait { $0.contains("54.5 10.25") }
    following.cancel()
    await following.value
  }

  @Test func `the receiver sample returns when its source ends, and throws without a port`()
    async throws
  {
    struct Nothing: FixSource {
      typealias Failure = Never
      let name = "nothing"
      func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async {}
    }
    try await printFixes(of: Nothing())
    await #expect(throws: SerialError.self) { try await printFixes(devnode: "/dev/nonexistent") }
  }

  @Test func `the weather sample returns the nearest town and its temperature`() async throws {
    let server = try await DemoWeatherServer()
    let client = weatherOfTowns(contact: "test@example.org", baseURL: server.baseURL)
    let coordinate = try #require(Coordinate(latitudeDegrees: 51.5, longitudeDegrees: -0.12))
    let text = try await townWeather(at: coordinate, client)
    await server.stop()
    #expect(text.contains(": ") && text.hasSuffix("°C (openmeteo)"), "\(text)")
  }

  @Test @MainActor func `the Point-Free sample shows the place and two days of weather`() async {
    // sample: begin
    let model = AppViewModel(
      locationClient: .notDetermined, pathMonitorClient: .satisfied, weatherClient: .happyPath)
    model.locationButtonTapped()
    // sample: end
    while model.weatherResults.isEmpty { await Task.yield() }
    #expect(model.currentPlace?.title == "New York")
    #expect(model.weatherResults.count == 2 && model.isConnected)
  }

  @Test func `the reducer sample handles a denial and a grant`() async {
    // sample: begin
    var state = FeatureState()
    let effect = reduce(&state, .didChangeAuthorization(.denied))
    #expect(effect == nil && state.alert != nil)
    // sample: end
    #expect(reduce(&state, .didChangeAuthorization(.authorizedAlways)) == .requestLocation)
  }

  @Test func `the store of the reducer sample handles a denial and a grant`() async {
    for (client, isAlerted) in [
      (LocationClient.notDeterminedDenied, true), (.notDetermined, false),
    ] {
      let states = EventRecorder<FeatureState>()
      let running = Task { await runFeature(client) { states.record($0) } }
      await states.wait { $0.contains { isAlerted ? $0.alert != nil : $0.location != nil } }
      running.cancel()
      await running.value
    }
  }

  @Test @MainActor func `the Cocoacasts sample shows two weather reports`() async {
    // sample: begin
    let model = makeRootViewModel(location: .authorizedWhenInUse, weather: .happyPath) { print($0) }
    // sample: end
    while model.weather?.subject != .device { await Task.yield() }
    #expect(model.error == nil)
    let lines = EventRecorder<String>()
    let refused = makeRootViewModel(location: .notDeterminedDenied, weather: .happyPath) {
      lines.record($0)
    }
    #expect(await lines.wait(for: 2).first == "defaultPlace: 20.0 °C")
    #expect(refused.error == .notAuthorizedToRequestLocation)
  }
}
