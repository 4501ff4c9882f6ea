// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import Foundation
import IssueReporting
import LocationClient
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Unimplemented clients", .timeLimit(.minutes(5)))
struct UnimplementedClientsTests {
  /// Records the issues that the code under test reports, in place of failing the test.
  private struct RecordingReporter: IssueReporter {
    let issues = EventRecorder<String>()

    func reportIssue(
      _ message: @autoclosure () -> String?, severity: IssueSeverity, fileID: StaticString,
      filePath: StaticString, line: UInt, column: UInt
    ) {
      issues.record("\(severity): \(message() ?? "")")
    }
  }

  /// Runs a body that must report one issue, with the name of an endpoint.
  private func fails(
    naming endpoint: String, _ body: () async -> Void,
    location: SourceLocation = #_sourceLocation
  ) async {
    let reporter = RecordingReporter()
    await withIssueReporters([reporter]) { await body() }
    let text = "Unimplemented: \(endpoint) was used but is not implemented by this test"
    #expect(reporter.issues.events == ["error: \(text)"], sourceLocation: location)
  }

  private static let region = CircularRegion(center: .at(1, 2), radiusMeters: 100, identifier: "home")

  private static let uses: [String: @Sendable (LocationClient) async -> Void] = [
    "authorizationStatus": { #expect($0.authorizationStatus() == .notDetermined) },
    "accuracyAuthorization": { #expect($0.accuracyAuthorization() == .reducedAccuracy) },
    "locationServicesEnabled": { #expect(!$0.locationServicesEnabled()) },
    "diagnostics": { #expect($0.diagnostics() == []) },
    "requestWhenInUseAuthorization": { $0.requestWhenInUseAuthorization() },
    "requestAlwaysAuthorization": { $0.requestAlwaysAuthorization() },
    "requestTemporaryFullAccuracyAuthorization": { client in
      await #expect(throws: LocationError.denied) {
        try await client.requestTemporaryFullAccuracyAuthorization("map")
      }
    },
    "beginActivity": { $0.beginActivity("test") },
    "endActivity": { $0.endActivity() },
    "requestLocation": { $0.requestLocation() },
    "startUpdatingLocation": { $0.startUpdatingLocation() },
    "stopUpdatingLocation": { $0.stopUpdatingLocation() },
    "startMonitoringSignificantLocationChanges": {
      $0.startMonitoringSignificantLocationChanges()
    },
    "stopMonitoringSignificantLocationChanges": { $0.stopMonitoringSignificantLocationChanges() },
    "startMonitoringVisits": { $0.startMonitoringVisits() },
    "stopMonitoringVisits": { $0.stopMonitoringVisits() },
    "startUpdatingHeading": { $0.startUpdatingHeading() },
    "stopUpdatingHeading": { $0.stopUpdatingHeading() },
    "startMonitoringForRegion": { $0.startMonitoringForRegion(region) },
    "stopMonitoringForRegion": { $0.stopMonitoringForRegion(region) },
    "requestStateForRegion": { $0.requestStateForRegion(region) },
    "monitoredRegions": { #expect($0.monitoredRegions().isEmpty) },
    "set": { $0.set(LocationClient.Properties()) },
    "headingAvailable": { #expect(!$0.headingAvailable()) },
    "significantLocationChangeMonitoringAvailable": {
      #expect(!$0.significantLocationChangeMonitoringAvailable())
    },
    "isRegionMonitoringAvailable": { #expect(!$0.isRegionMonitoringAvailable()) },
    "maximumRegionMonitoringDistance": { #expect($0.maximumRegionMonitoringDistance() == nil) },
    "location": { #expect($0.location() == nil) },
    "heading": { #expect($0.heading() == nil) },
    "delegate": { for await event in $0.delegate() { Issue.record("received \(event)") } },
  ]

  @Test func `every endpoint of an unimplemented location client fails the test with its name`()
    async
  {
    let endpoints = Mirror(reflecting: LocationClient.unimplemented).children.compactMap(\.label)
    #expect(Set(endpoints) == Set(Self.uses.keys))
    for (name, use) in Self.uses {
      await fails(naming: "LocationClient.\(name)") { await use(.unimplemented) }
    }
  }

  @Test func `unimplemented path and weather clients fail the test with their endpoints' names`()
    async
  {
    #expect(Mirror(reflecting: PathMonitorClient.unimplemented).children.count == 1)
    await fails(naming: "PathMonitorClient.networkPaths") {
      for await path in PathMonitorClient.unimplemented.networkPaths() {
        Issue.record("received \(path)")
      }
    }
    #expect(Mirror(reflecting: WeatherClient.unimplemented).children.count == 2)
    await fails(naming: "WeatherClient.searchLocations") {
      await #expect(throws: WeatherError.self) {
        try await WeatherClient.unimplemented.searchLocations(.at(1, 2))
      }
    }
    await fails(naming: "WeatherClient.weather") {
      await #expect(throws: WeatherError.self) {
        try await WeatherClient.unimplemented.weather(.place(1))
      }
    }
  }

  /// Whether another process of this test suite started this process to run the failing test.
  private static let isFailingRun =
    ProcessInfo.processInfo.environment["FIXCAST_SHOWS_FAILURE"] != nil

  @Test(.enabled(if: isFailingRun, "run only by another test, which inspects its failure"))
  func callsUnimplementedEndpoint() { LocationClient.unimplemented.requestLocation() }

  @Test func `a test that uses an unimplemented endpoint names the endpoint on the console`()
    async throws
  {
    let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
    let (lines, code) = try await ChildProcess.use(
      path: bundle,
      arguments: ["--testing-library", "swift-testing", "--filter", "callsUnimplementedEndpoint"],
      environment: ["FIXCAST_SHOWS_FAILURE": "1"]
    ) { program in
      let status = await program.wait()
      return (program.lines.events, status >> 8 & 0xFF)
    }
    #expect(code != 0)
    let name = "Unimplemented: LocationClient.requestLocation was used"
    #expect(lines.contains { $0.contains(name) }, "\(lines)")
    #expect(lines.contains { $0.contains("callsUnimplementedEndpoint() failed") }, "\(lines)")
  }

  /// Requests one location, as a simple feature does.
  private func locateOnce(_ client: LocationClient) async -> Location? {
    guard client.authorizationStatus().isAuthorized else { return nil }
    let events = client.delegate()
    client.requestLocation()
    for await event in events {
      if case .didUpdateLocations(let locations) = event { return locations.last }
    }
    return nil
  }

  @Test func `a feature passes with the endpoints that it uses and fails without one of them`()
    async
  {
    let location = Location.at(48.2, 16.4)
    let scene = LocationClient.authorizedWhenInUse(locatedAt: location)
    var client = LocationClient.unimplemented
    client.authorizationStatus = scene.authorizationStatus
    client.delegate = scene.delegate
    client.requestLocation = scene.requestLocation
    #expect(await locateOnce(client) == location)

    client.delegate = LocationClient.unimplemented.delegate
    await fails(naming: "LocationClient.delegate") { _ = await locateOnce(client) }
  }

  @Test func `the place stage only searches places, and the weather stage only requests weather`()
    async
  {
    func run(_ stage: some Stage) async {
      let (input, continuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
      continuation.yield(EnrichedLocation(.at(1, 2)))
      continuation.finish()
      try? await stage.run(input, deliver: { _ in }, report: { _ in })
    }
    func weatherStage(_ client: WeatherClient) -> WeatherStage {
      WeatherStage(client: client, now: { .at(0) })
    }
    var searching = WeatherClient.unimplemented
    searching.searchLocations = WeatherClient.happyPath.searchLocations
    await run(PlaceStage(client: searching))
    await fails(naming: "WeatherClient.weather") { await run(weatherStage(searching)) }

    var forecasting = WeatherClient.unimplemented
    forecasting.weather = WeatherClient.happyPath.weather
    await run(weatherStage(forecasting))
    await fails(naming: "WeatherClient.searchLocations") {
      await run(PlaceStage(client: forecasting))
    }
  }

  /// Runs a weather model until it has weather or an error.
  @MainActor private func showWeather(_ location: LocationClient, _ weather: WeatherClient) async {
    let model = WeatherModel(
      locationClient: location, pathMonitor: .satisfied, weatherClient: weather,
      clock: ContinuousClock())
    for await state in model.states() where state.weather != nil || state.lastError != nil { break }
  }

  @Test func `the weather model fails if an endpoint that it uses is unimplemented`() async {
    let scene = LocationClient.authorizedWhenInUse
    var client = LocationClient.unimplemented
    client.authorizationStatus = scene.authorizationStatus
    client.delegate = scene.delegate
    client.startUpdatingLocation = scene.startUpdatingLocation
    client.stopUpdatingLocation = scene.stopUpdatingLocation
    await showWeather(client, .happyPath)

    var searching = WeatherClient.unimplemented
    searching.searchLocations = WeatherClient.happyPath.searchLocations
    await fails(naming: "WeatherClient.weather") { await showWeather(client, searching) }
  }
}
