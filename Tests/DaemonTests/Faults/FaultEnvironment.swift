// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Positioning
import Streams
import Synchronization
import SystemSupport
import WeatherClient

@testable import Daemon
@testable import Pipeline
@testable import Receivers
@testable import WeatherClientLive

/// The daemon's environment with faults, on a manual clock.
///
/// Only the environment is simulated. The daemon's own code decodes bytes and reports, and handles
/// paths, responses and failed writes.
final class FaultEnvironment: Sendable {
  struct State {
    var faults: Set<Fault> = []
    var jumpSeconds: Int64 = 0
    var generatorCount: UInt64 = 0
    /// Parts of the daemon that ended unexpectedly.
    var endedParts: [String] = []
  }

  let clock = ManualClock()
  let feed = SerialFeed()
  let gpsd: FakeGPSD
  let programs = FaultPrograms()
  let volume: SmallVolume
  /// The daemon's standard output.
  let pipe: FaultPipe
  private let thread: @Sendable () -> any TaskExecutor
  private let state = Mutex(State())
  private let paths = Broadcast<NetworkPath>(replaysNewest: true)
  private let seed: UInt64
  /// The initial time of the wall clock, in seconds since 1970.
  private static let startSeconds: Int64 = 1_795_000_000

  init(volume: SmallVolume, pipe: FaultPipe, seed: UInt64, thread: @escaping @Sendable () -> any TaskExecutor) {
    self.volume = volume
    self.pipe = pipe
    self.thread = thread
    self.seed = seed
    gpsd = FakeGPSD(clock: clock, now: clock.reading)
    paths.send(NetworkPath(status: .satisfied))
  }

  private var faults: Set<Fault> { state.withLock { $0.faults } }

  var endedParts: [String] { state.withLock { $0.endedParts } }

  func recordEnd(of part: String) { state.withLock { $0.endedParts.append(part) } }

  /// The time of the wall clock and of the receivers.
  var utc: UTCTime {
    let jump = state.withLock { $0.jumpSeconds }
    return UTCTime(secondsSince1970: Self.startSeconds + clock.reading().nanoseconds / 1_000_000_000 + jump)
  }

  var boardTime: BootTimestamp {
    BootTimestamp(
      utcSeconds: utc.secondsSince1970, bootSeconds: clock.reading().nanoseconds / 1_000_000_000,
      boot: "boot")
  }

  // MARK: Faults

  func begin(_ span: FaultSpan) {
    state.withLock { state in
      state.faults.insert(span.fault)
      if span.fault == .clockJumped { state.jumpSeconds = span.jumpSeconds }
    }
    switch span.fault {
    case .receiverUnplugged: feed.unplug()
    case .gpsdKilled: gpsd.kill()
    case .pathLost: paths.send(NetworkPath(status: .unsatisfied, reason: .noCarrier))
    case .diskFull: volume.fill()
    case .sinkBlocked: pipe.fill()
    case .execCrashing: programs.crash()
    default: break
    }
  }

  func end(_ span: FaultSpan) {
    state.withLock { state in
      state.faults.remove(span.fault)
      if span.fault == .clockJumped { state.jumpSeconds = 0 }
    }
    switch span.fault {
    case .receiverUnplugged: feed.plug()
    case .gpsdKilled: gpsd.start()
    case .pathLost: paths.send(NetworkPath(status: .satisfied))
    case .diskFull: volume.remove()
    case .sinkBlocked: pipe.release()
    case .execCrashing: programs.recover()
    default: break
    }
  }

  /// Sends an epoch from both receivers.
  ///
  /// The receivers move east at 30 m/s.
  func sendEpoch(_ second: Int) {
    let place = Coordinate.at(48.1, -20 + Double(second) * 0.0004)
    let time = utc
    feed.send(SentenceText.epoch(at: time, place))
    gpsd.send(time, place)
  }

  // MARK: Dependencies

  var dependencies: DaemonDependencies {
    var environment = SourceEnvironment()
    environment.discover = { _, deliver in
      deliver(.settled)
      await PipelineRun.untilCancelled()
    }
    environment.openPort = { [self] devnode, _, _, _ in feed.port(devnode, now: clock.reading) }
    environment.openGPSD = { [self] _ in gpsd.source() }
    environment.clock = clock
    environment.now = clock.reading
    environment.makeSeed = { [seed] in seed }
    var dependencies = DaemonDependencies(
      factory: SourceFactory(
        environment: environment, simulated: { throw CancellationError() },
        replay: { _, _, _ in throw CancellationError() }))
    dependencies.timing = PipelineEnvironment(clock: clock, now: clock.reading) { [self] in
      let number = state.withLock { state in
        state.generatorCount += 1
        return state.generatorCount
      }
      return SeededGenerator(seed: seed &+ number)
    }
    dependencies.timing.makeSinkExecutor = { [self] in thread() }
    dependencies.utcNow = { [self] in utc }
    dependencies.paths = PathMonitorClient { [paths] in paths.subscribe() }
    dependencies.write = { [self] in try pipe.write($0) }
    dependencies.launcher = programs
    dependencies.makeLookups = { [self] _ in lookups() }
    return dependencies
  }

  private func lookups() -> ProviderPath {
    let provider = FaultyProvider(isDown: { [self] in faults.contains(.providerDown) })
    let lookup = WeatherLookup(deadline: .seconds(15), http: WeatherHTTP(), clock: clock, uptime: clock.reading)
    let service = WeatherService(
      sources: [WeatherService.Source(provider, dailyBudget: 100_000)], storePath: nil,
      lookup: lookup, now: { [self] in boardTime }, clock: clock,
      generator: SeededGenerator(seed: seed))
    return ProviderPath(.live(service), monitor: PathMonitorClient { [paths] in paths.subscribe() })
  }
}

extension ManualClock {
  /// The clock as monotonic time.
  var reading: @Sendable () -> MonotonicTime {
    { [self] in MonotonicTime(nanoseconds: Int64(now.offset / .nanoseconds(1))) }
  }
}

/// A provider that responds or fails without using a network.
private struct FaultyProvider: WeatherProvider {
  static let name = "faulty"
  static let summary = "answers as a test wants"
  static let attribution = WeatherAttribution(text: "", licence: "", url: "")
  static let publicBaseURL: String? = "http://provider.invalid"

  let configuration = WeatherProviderConfiguration()
  let isDown: @Sendable () -> Bool

  init(isDown: @escaping @Sendable () -> Bool) { self.isDown = isDown }

  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) { isDown = { false } }

  func request(for cell: WeatherCell, after replies: [WeatherReply]) throws(WeatherError) -> WeatherRequest? { nil }

  func decode(_ replies: [WeatherReply], for cell: WeatherCell) throws(WeatherError) -> WeatherReport {
    if isDown() { throw .network("connection refused") }
    var report = try blankReport(for: cell)
    report.now.temperatureDegreesCelsius = 11
    return report
  }
}
