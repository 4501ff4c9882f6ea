// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Pipeline
import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import Daemon
@testable import DaemonServer
@testable import LocationServices
@testable import WeatherClientLive

@Suite("Data sent to a client with reduced accuracy") struct ReducedAnswerTests {
  /// The centre of the cell that all boards are in.
  private static let middle = Coordinate.at(52.525, 13.3562)
  private static let quarter: Int64 = 1_795_262_400

  /// One of many boards in the cell, with its own track and reception.
  private struct FakeBoard {
    let position: Coordinate
    /// The positions of the board's weather lookups; the last is the latest.
    let track: [Coordinate]
    /// Seconds since the beginning of the quarter of an hour.
    let second: Int64
    var generator: SeededGenerator

    init(_ seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      func near(_ degrees: Double) -> Coordinate {
        .at(
          middle.latitudeDegrees + .random(in: -degrees...degrees, using: &generator),
          middle.longitudeDegrees + .random(in: -degrees...degrees, using: &generator))
      }
      position = near(0.0249)
      track = (0..<Int.random(in: 0...2, using: &generator)).map { _ in near(0.1) } + [position]
      second = .random(in: 0..<900, using: &generator)
      self.generator = generator
    }

    mutating func random(_ range: ClosedRange<Double>) -> Double {
      .random(in: range, using: &generator)
    }

    mutating func fix(at now: MonotonicTime) -> Fix {
      var fix = Fix(mode: .threeDimensional)
      fix.coordinate = position
      fix.time = UTCTime(secondsSince1970: quarter + second)
      fix.speedMetersPerSecond = random(0...40)
      fix.altitudeMetersAboveSeaLevel = random(-100...3000)
      fix.satellitesUsed = Int(random(4...30))
      fix.horizontalAccuracy = Accuracy(meters: random(0.01...100), confidencePercent: 95, basis: .receiver)
      fix.source = "/dev/ttyACM0"
      fix.receivedAt = now
      return fix
    }

    /// A report with counters that depend on the board's track.
    mutating func report() -> DaemonReport {
      var report = DaemonReport()
      report.version = "1.2.3"
      report.uptimeSeconds = random(0...1e7)
      report.source.name = "/dev/ttyACM0"
      report.source.state = .running
      report.source.errorCount = UInt64(random(0...1e6))
      report.source.lastFixAt = MonotonicTime(nanoseconds: Int64(random(0...1e12)))
      report.counters.locations = UInt64(random(0...1e9))
      report.counters.errors = UInt64(random(0...1e9))
      report.weather = WeatherLookupStatus()
      var plugin = PluginStatus(role: .stage, name: "weather", state: .running, isRequired: false)
      plugin.errorCount = UInt64(random(0...1e6))
      plugin.timeoutCount = UInt64(random(0...1e6))
      report.plugins = [plugin]
      return report
    }
  }

  /// Returns all data sent to a client: a stream with weather and a source loss, the response to a
  /// location request, and the status.
  private static func sentTexts(for seed: UInt64) async throws -> [String] {
    var board = FakeBoard(seed)
    let now = MonotonicTime(nanoseconds: (1_000_000 + board.second) * 1_000_000_000)
    let service = try await service(of: board)
    let weatherQueries = WeatherQueries(
      service: service, sensors: IIOSensors(root: "/nonexistent"),
      utcNow: { [second = board.second] in UTCTime(secondsSince1970: quarter + second) },
      now: { now })
    var core = ServerCore(ownUser: 990)
    let sent = Sent()
    core.connect(sent, DaemonRequest(.events), now)
    core.handle(sent, .published(.fix(board.fix(at: now))), now)
    let cell = try #require(core.server.latest.reduced?.coordinate)
    let published = EventRecorder<ServerEvent>()
    let weather = ReducedWeather(
      weatherQueries: { weatherQueries }, isReachable: { true }, now: { now },
      publish: { published.record($0) })
    #expect(await weather.publishWeather(of: cell))
    for event in published.events { core.handle(sent, .published(event), now) }
    core.handle(sent, .published(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "auto")), now)
    core.handle(sent, .published(.fix(board.fix(at: now))), now)
    core.connect(sent, DaemonRequest(.location(timeoutSeconds: 1)), now)
    sent.status = board.report().status(now: now)
    core.connect(sent, DaemonRequest(.status), now)
    return sent.texts
  }

  /// Returns a service that has looked up the weather at each position of the board's track.
  private static func service(of board: FakeBoard) async throws -> WeatherService {
    let clock = ManualClock()
    let lookup = WeatherLookup(deadline: .seconds(15), http: WeatherHTTP(), clock: clock, uptime: clock.reading)
    let lookupAges = EventRecorder<Int64>()
    let start = quarter + board.second
    let service = WeatherService(
      sources: [WeatherService.Source(PlaceProvider(), dailyBudget: 100_000)], storePath: nil,
      lookup: lookup,
      now: {
        // There are five minutes between two lookups.
        let utc = start - (lookupAges.events.last ?? 0)
        return BootTimestamp(utcSeconds: utc, bootSeconds: utc - quarter + 1_000_000, boot: "b")
      }, clock: clock, generator: board.generator)
    for (index, place) in board.track.enumerated() {
      lookupAges.record(Int64(board.track.count - 1 - index) * 300)
      // Lookups fail in the south of the cell.
      _ = try? await service.weather(at: place)
    }
    return service
  }

  @Test func `boards in the same cell and the same 15 minutes send identical reduced data`() async throws {
    let first = try await Self.sentTexts(for: 0)
    #expect(first.count == 3)
    for kind in ["AUTH", "TPV", "WEATHER", "ERROR"] {
      #expect(first[0].contains("event: \(kind)\n"), "\(first[0])")
    }
    for word in ["temperature", "sunrise", "moon", "place", "days"] {
      #expect(first[0].contains("\"\(word)"), "\(word): \(first[0])")
    }
    #expect(first[1].contains(#""lat":52.525"#) && first[2].contains(#""class":"STATUS""#))
    var differingCount = 0
    for seed in 1..<RandomInputs.count(10_000 as UInt64)
    where try await Self.sentTexts(for: seed) != first {
      differingCount += 1
      if differingCount == 1 {
        let other = try await Self.sentTexts(for: seed)
        Issue.record("board \(seed) sends \(other) instead of \(first)")
      }
    }
    #expect(differingCount == 0)
  }
}

/// The data sent on the connections of one client.
private final class Sent {
  var texts: [String] = []
  var status = ServerStatus()
}

extension ServerCore {
  /// Connects a client with reduced accuracy.
  fileprivate mutating func connect(_ sent: Sent, _ request: DaemonRequest, _ now: MonotonicTime) {
    let id = UInt64(sent.texts.count)
    sent.texts.append("")
    let identity = ClientIdentity(userID: 1000)
    #expect(connect(id, owner: ConnectionOwner(userID: 1000), at: now) == nil)
    handle(sent, .connected(id), now)
    let process = ProcessToken(process: 7, startTicks: 1, boot: "b")
    handle(sent, .requested(id, request, PeerEvidence(identity: identity, process: process)), now)
  }

  fileprivate mutating func handle(_ sent: Sent, _ event: Event, _ now: MonotonicTime) {
    for action in handle(event, at: now) {
      switch action {
      case .write(let id, let bytes):
        sent.texts[Int(id)] += String(decoding: bytes, as: UTF8.self)
        handle(sent, .written(id), now)
      case .openPolicy(let key, _):
        let granted = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
        handle(sent, .policyOpened(key, granted, isDeniedGlobally: false, operatorRequests: []), now)
      case .readStatus(let id): handle(sent, .status(id, sent.status), now)
      default: break
      }
    }
  }
}

/// A provider with different values for each cell of 0.01 degrees.
private struct PlaceProvider: WeatherProvider {
  static let name = "places"
  static let summary = "values depend on the coordinate"
  static let attribution = WeatherAttribution(text: "", licence: "", url: "")
  static let publicBaseURL: String? = "http://provider.invalid"

  let configuration = WeatherProviderConfiguration()

  init() {}
  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {}

  func request(for cell: WeatherCell, after replies: [WeatherReply]) throws(WeatherError) -> WeatherRequest? { nil }

  func decode(_ replies: [WeatherReply], for cell: WeatherCell) throws(WeatherError) -> WeatherReport {
    var report = try blankReport(for: cell)
    let time = UTCTime.noon
    // Steps of 0.01 degrees change the values by 0.1 K and 0.1 hPa.
    let latitude = report.coordinate.latitudeDegrees
    let longitude = report.coordinate.longitudeDegrees
    if latitude < 52.515 { throw .badStatus(code: 400, reason: "no data for this place") }
    report.now.temperatureDegreesCelsius = latitude * 10 - 500
    report.now.pressureSeaLevelHectopascals = 900 + longitude * 10
    report.validAt = time
    report.issuedAt = time
    var day = DayWeather(date: time.date)
    day.highestTemperatureDegreesCelsius = latitude
    report.days = [day]
    return report
  }
}
