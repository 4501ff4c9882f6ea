// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import LocationClient
import PathMonitorClient
import Testing
import WeatherClient
import WeatherClientLive

/// The sample of "Coming from Point-Free" runs as described.
@Suite(.timeLimit(.minutes(5))) @MainActor struct PointFreeTests {
  @Test func `the Point-Free sample shows the place and two days of weather`() async {
    // sample: begin
    let model = AppViewModel(
      locationClient: .notDetermined, pathMonitorClient: .satisfied, weatherClient: .happyPath)
    model.locationButtonTapped()
    // sample: end
    while model.weatherResults.isEmpty { await Task.yield() }
    #expect(model.currentPlace?.title == "New York")
    #expect(model.weatherResults.count == 2 && model.isConnected)
  }

  @Test func `the Point-Free sample looks up the weather by the id of a real place`() async throws {
    let ids = EventRecorder<Place.ID>()
    // The live client finds the place in its own data. Only the weather would cause a request.
    var client = WeatherClient.openMeteo(OpenMeteo())
    client.weather = { target throws(WeatherError) in
      if case .place(let id) = target { ids.record(id) }
      return try await WeatherClient.happyPath.weather(target)
    }
    let model = AppViewModel(
      locationClient: .authorizedWhenInUse, pathMonitorClient: .satisfied, weatherClient: client)
    while model.weatherResults.isEmpty { await Task.yield() }
    let place = try #require(model.currentPlace)
    #expect(place.title == "Brooklyn" && ids.events == [place.id])
  }

  @Test func `the Point-Free sample clears the weather offline and looks it up again`() async {
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

  @Test func `the Point-Free sample shows an alert after a tap if access is denied`() {
    let model = AppViewModel(
      locationClient: .denied, pathMonitorClient: .satisfied, weatherClient: .failed)
    model.locationButtonTapped()
    #expect(model.alert?.contains("fixcast auth") == true)
  }
}
