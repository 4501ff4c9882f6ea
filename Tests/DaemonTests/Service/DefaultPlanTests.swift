// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import PathMonitorClient
import Pipeline
import Positioning
import Streams
import Testing
import WeatherClient

@testable import Daemon

/// Runs the pipeline of an empty configuration on a simulated clock, with one location per second.
@Suite("Default plan and the network path", .timeLimit(.minutes(5)))
struct DefaultPlanTests {
  private static let satisfied = NetworkPath(status: .satisfied)
  private static let lost = NetworkPath(status: .unsatisfied, reason: .noInterface)

  /// A fixture whose weather provider answers after two seconds.
  private final class Fixture: Sendable {
    let clock = ManualClock()
    /// The times of the lookups.
    let lookups = EventRecorder<Duration>()
    let cancellations = EventRecorder<Duration>()
    let placeSearches = EventRecorder<Coordinate>()
    let pipeline: LocationPipeline
    private let paths = Broadcast<NetworkPath>(replaysNewest: true)
    private let tasks: SteppedTasks
    private let run: Task<PipelineEnd, Never>

    init(_ path: NetworkPath, _ tasks: SteppedTasks) throws {
      self.tasks = tasks
      paths.send(path)
      let (clock, lookups) = (clock, lookups)
      let (cancellations, placeSearches) = (cancellations, placeSearches)
      let client = WeatherClient(
        searchLocations: { coordinate throws(WeatherError) in
          placeSearches.record(coordinate)
          return []
        },
        weather: { target throws(WeatherError) in
          lookups.record(clock.now.offset)
          do { try await clock.sleep(for: .seconds(2)) } catch {
            cancellations.record(clock.now.offset)
            throw .cancelled
          }
          return try await WeatherClient.happyPath.weather(target)
        })
      var dependencies = DaemonDependencies()
      dependencies.timing = PipelineEnvironment(clock: clock)
      dependencies.makeLookups = { [paths] _ in
        ProviderPath(client, monitor: PathMonitorClient { paths.subscribe() })
      }
      let factory = PluginFactory(
        environment: ["FIXCAST_ROOT": "/nonexistent"], stateDirectory: "/nonexistent",
        logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, dependencies: dependencies)
      let pipeline = LocationPipeline(
        factory.plan(for: try DaemonConfiguration.toml("")), environment: dependencies.timing)
      self.pipeline = pipeline
      run = Task { await pipeline.run() }
      tasks.settle()
    }

    func set(_ path: NetworkPath) {
      paths.send(path)
      tasks.settle()
    }

    /// Submits a location every second.
    func drive(seconds: Int) {
      for _ in 0..<seconds {
        pipeline.submit(.at(54.3, 10.1))
        tasks.settle()
        clock.advance(by: .seconds(1))
        tasks.settle()
      }
    }

    /// Advances the clock without submitting locations.
    func park(seconds: Int) {
      clock.advance(by: .seconds(seconds))
      tasks.settle()
    }

    func stop() {
      run.cancel()
      tasks.settle()
    }
  }

  private static func withBoard(_ path: NetworkPath, _ body: @escaping @Sendable (Fixture) throws -> Void) throws {
    let result = SteppedTasks.use { tasks in
      Result {
        let fixture = try Fixture(path, tasks)
        try body(fixture)
        fixture.stop()
      }
    }
    try #require(result).get()
  }

  @Test func `without a network, the default plan makes no lookup in ten minutes, and finds the place`() throws {
    try Self.withBoard(Self.lost) { fixture in
      fixture.drive(seconds: 600)
      #expect(fixture.lookups.events.isEmpty)
      #expect(fixture.placeSearches.events.count == 600)
    }
  }

  @Test func `when the network returns, the default plan makes one lookup within 30 seconds`() throws {
    try Self.withBoard(Self.lost) { fixture in
      fixture.drive(seconds: 600)
      fixture.set(Self.satisfied)
      fixture.drive(seconds: 120)
      let times = fixture.lookups.events
      #expect(times.count == 1)
      #expect(times.allSatisfy { $0 >= .seconds(600) && $0 <= .seconds(631) })
    }
  }

  @Test func `a network loss cancels the lookup under way, which is repeated when the network returns`() throws {
    try Self.withBoard(Self.satisfied) { fixture in
      fixture.drive(seconds: 1)
      #expect(fixture.lookups.events.count == 1)
      fixture.set(Self.lost)
      #expect(fixture.cancellations.events == [.seconds(1)])
      fixture.drive(seconds: 300)
      #expect(fixture.lookups.events.count == 1)
      fixture.set(Self.satisfied)
      fixture.drive(seconds: 120)
      let times = fixture.lookups.events
      #expect(times.count == 2)
      #expect(times.last.map { $0 >= .seconds(301) && $0 <= .seconds(332) } == true)
      #expect(fixture.cancellations.events.count == 1)
    }
  }

  @Test func `a lookup that was cancelled is repeated even if no further location has arrived`() throws {
    try Self.withBoard(Self.satisfied) { fixture in
      fixture.drive(seconds: 1)
      fixture.set(Self.lost)
      fixture.set(Self.satisfied)
      fixture.park(seconds: 31)
      #expect(fixture.lookups.events.count == 2)
    }
  }
}
