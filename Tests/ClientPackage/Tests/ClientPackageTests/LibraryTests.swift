// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import LocationServices
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherClientLive

/// The samples of "Using the libraries" and "Coming from Core Location" run as described.
@Suite(.timeLimit(.minutes(5))) struct LibraryTests {
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
    struct EmptySource: FixSource {
      typealias Failure = Never
      let name = "nothing"
      func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async {}
    }
    try await printFixes(of: EmptySource())
    await #expect(throws: SerialError.self) { try await printFixes(devnode: "/dev/nonexistent") }
  }

  @Test func `the weather sample returns the nearest town and its temperature`() async throws {
    var client = weatherOfTowns(contact: "test@example.org")
    // The town is in the data of the library. Only the weather would cause a request.
    client.weather = WeatherClient.happyPath.weather
    let coordinate = try #require(Coordinate(latitudeDegrees: 40.6782, longitudeDegrees: -73.9442))
    #expect(try await townWeather(at: coordinate, client) == "Brooklyn: 20.0 °C (played)")
  }
}
