// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import ReceiverSimulator
import Receivers
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import fixcast

/// The samples in the articles run and behave as described.
@Suite(.timeLimit(.minutes(2)))
struct SampleRunTests {
  @Test func `the Core Location sample shows an authorized manager's locations`() async throws {
    let shown = EventRecorder<String>()
    let follower = Follower { shown.record($0) }
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    manager.delegate = follower
    while manager.authorizationStatus != .authorizedWhenInUse { await Task.yield() }
    await manager.waitUntilDelivered()
    manager.ingest(.fix(.at(54.5, 10.25)))
    #expect(await shown.wait(for: 1) == ["54.5 10.25"])
  }

  @Test func `the live updates sample shows the position of the board`() async throws {
    let shown = EventRecorder<String>()
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    let following = Task { await follow(manager) { shown.record($0) } }
    // The first update has no location, only the reason why there is none.
    _ = await shown.wait(for: 1)
    while manager.authorizationStatus != .authorizedWhenInUse { await Task.yield() }
    manager.ingest(.fix(.at(54.5, 10.25)))
    await shown.wait { $0.contains("54.5 10.25") }
    following.cancel()
    await following.value
  }

  @Test func `the receiver sample returns when its source ends, and throws without a port`()
    async throws
  {
    struct EmptySource: FixSource {
      typealias Failure = Never
      let name = "nothing"
      func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async {}
    }
    try await printFixes(of: EmptySource())
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
    let model = AppViewModel(locationClient: .notDetermined, pathMonitorClient: .satisfied, weatherClient: .happyPath)
    model.locationButtonTapped()
    // sample: end
    while model.weatherResults.isEmpty { await Task.yield() }
    #expect(model.currentPlace?.title == "New York")
    #expect(model.weatherResults.count == 2 && model.isConnected)
  }

  @Test @MainActor func `the Point-Free sample looks up the weather by the id of a real place`()
    async throws
  {
    let server = try await DemoWeatherServer()
    let ids = EventRecorder<Place.ID>()
    let live = WeatherClient.openMeteo(OpenMeteo(baseURL: server.baseURL))
    var client = live
    client.weather = { target throws(WeatherError) in
      if case .place(let id) = target { ids.record(id) }
      return try await live.weather(target)
    }
    let model = AppViewModel(locationClient: .authorizedWhenInUse, pathMonitorClient: .satisfied, weatherClient: client)
    while model.weatherResults.isEmpty { await Task.yield() }
    await server.stop()
    let place = try #require(model.currentPlace)
    #expect(place.title == "Brooklyn" && ids.events == [place.id])
  }

  @Test @MainActor func `the Point-Free sample clears the weather offline and looks it up again`()
    async
  {
    let (paths, network) = AsyncStream.makeStream(of: NetworkPath.self)
    let model = AppViewModel(
      locationClient: .authorizedWhenInUse, pathMonitorClient: PathMonitorClient { paths },
      weatherClient: .happyPath)
    while model.weatherResults.isEmpty { await Task.yield() }
    network.yield(NetworkPath(status: .unsatisfied))
    while model.isConnected { await Task.yield() }
    #expect(model.weatherResults.isEmpty && model.currentPlace != nil)
    network.yield(NetworkPath(status: .satisfied))
    while model.weatherResults.isEmpty { await Task.yield() }
    #expect(model.isConnected)
  }

  @Test @MainActor func `the Point-Free sample shows an alert after a tap if access is denied`() {
    let model = AppViewModel(locationClient: .denied, pathMonitorClient: .satisfied, weatherClient: .failed)
    model.locationButtonTapped()
    #expect(model.alert?.contains("fixcast auth") == true)
  }

  @Test func `the reducer sample handles a denial and a grant`() async {
    // sample: begin
    var state = FeatureState()
    let effect = reduce(&state, .didChangeAuthorization(.denied))
    #expect(effect == nil && state.alert != nil)
    // sample: end
    #expect(reduce(&state, .didChangeAuthorization(.authorizedAlways)) == .requestLocation)
  }

  @Test func `the store of the reducer sample uses only the endpoints of the denial`() async {
    // sample: begin
    let (events, manager) = AsyncStream.makeStream(of: LocationClient.DelegateEvent.self)
    var client = LocationClient.unimplemented
    client.delegate = { events }
    client.requestWhenInUseAuthorization = { manager.yield(.didChangeAuthorization(.denied)) }
    manager.yield(.didChangeAuthorization(.notDetermined))
    var states: [FeatureState] = []
    await runFeature(client) { state in
      states.append(state)
      if state.alert != nil { manager.finish() }
    }
    #expect(states.map { $0.alert != nil } == [false, true])
    // sample: end
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

  @Test @MainActor
  func `the Cocoacasts sample shows the weather of the default location and device`()
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

  @Test @MainActor func `the Cocoacasts sample shows the error of another location service`() async {
    let lines = EventRecorder<String>()
    let show: @MainActor (String) -> Void = { lines.record($0) }
    // sample: begin
    let refusing = MockLocationService(.failure(.notAuthorizedToRequestLocation))
    let model = makeRootViewModel(locationService: refusing, weather: .happyPath, show: show)
    // sample: end
    let shown = await lines.wait(for: 2)
    #expect(shown.contains("defaultLocation: 20.0 °C"))
    #expect(shown.contains { $0.contains("not authorized") })
    #expect(model.error == .notAuthorizedToRequestLocation)
  }
}
