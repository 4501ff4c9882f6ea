// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Foundation
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherFeature

@testable import Plugins

@Suite("Sinks")
struct SinksTests {
  final class Output: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }
  }

  static let location = Location.at(51.50735, -0.12776) {
    $0.mode = .threeDimensional
    $0.altitudeMetersAboveSeaLevel = 35.2
    $0.speedMetersPerSecond = 4.25
    $0.receivedAt = .at(1)
    $0.isSimulated = true
  }

  static let enriched: EnrichedEvent = {
    var day = DayWeather(date: UTCDate(daysSince1970: 1))
    day.lowestTemperatureDegreesCelsius = 6.1
    let report = Samples.report(at: .at(51.5, -0.12)) {
      $0.now.temperatureDegreesCelsius = 11.4
      $0.now.condition = .lightRain
      $0.now.windSpeedMetersPerSecond = 5.1
      $0.now.windDirectionDegreesTrue = 240
      ($0.validAt, $0.receivedAt) = (UTCTime(secondsSince1970: 0), .at(0.5))
      ($0.isSimulated, $0.days) = (true, [day])
    }
    var place = Place(id: 2_643_743, title: "London", coordinate: .at(51.5, -0.13))
    (place.countryCode, place.distanceMeters) = ("GB", 1240)
    return Samples.enriched(report, at: location, in: place)
  }()

  private func text(
    _ name: String, _ events: [any PipelineEvent], isLive: Bool = true, usesColor: Bool = false
  ) async throws -> String {
    let output = Output()
    let context = PluginContext(
      write: { output.write($0) }, now: { MonotonicTime(nanoseconds: 2_500_000_000) },
      utcNow: { UTCTime(secondsSince1970: 312) },
      isLive: isLive, usesColor: usesColor)
    let plugin = try #require(PluginCatalog.plugin(.sink, name))
    let made = try plugin.specification(SettingsTable(), context).maker.make()
    let sink = try #require(made as? any Sink)
    try await sink.start()
    for event in events { try await sink.receive(event) }
    return output.text
  }

  @Test func `the JSON lines of events have the expected text`() async throws {
    var path = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
    path.interfaces = [.init(name: "eth0", kind: .wired)]
    var verified = NetworkPath(status: .satisfied)
    verified.verified = .portal
    let written = try await text(
      "jsonlines",
      [
        AuthorizationEvent(Authorization(.authorizedAlways)), PathEvent(path), PathEvent(verified),
        GateEvent(gate: "reachability", verdict: .holds(reason: "noDefaultRoute"), heldCount: 1),
        GateEvent(gate: "reachability", verdict: .passes, heldCount: 3),
        LocationEvent(Self.location), Self.enriched,
        ErrorEvent(source: "weather", message: "a \"b\""),
      ])
    let expected = [
      #"{"class":"AUTH","status":"authorizedAlways","accuracy":"full"}"#,
      #"{"class":"PATH","status":"unsatisfied","reason":"noDefaultRoute","interfaces":["eth0"],"#
        + #""expensive":false,"constrained":false}"#,
      #"{"class":"PATH","status":"satisfied","interfaces":[],"expensive":false,"#
        + #""constrained":false,"verified":"portal"}"#,
      #"{"class":"GATE","gate":"reachability","verdict":"held","reason":"noDefaultRoute","held":1}"#,
      #"{"class":"GATE","gate":"reachability","verdict":"passed","held":3}"#,
      #"{"class":"TPV","mode":3,"lat":51.507350000,"lon":-0.127760000,"altMSL":35.2,"speed":4.25,"#
        + #""age":1.5,"simulated":true}"#,
      #"{"class":"WEATHER","time":"1970-01-01T00:05:12.000Z","place":{"id":2643743,"#
        + #""title":"London","country":"GB","distance":1240.0},"lat":51.5,"lon":-0.12,"#
        + #""kind":"forecast","provider":"openmeteo","simulated":true,"age":312,"#
        + #""distance":979.3,"stale":false,"#
        + #""temperature":11.4,"windSpeed":5.1,"windDirection":240.0,"condition":"lightrain","#
        + #""days":[{"date":"1970-01-02","min":6.1}]}"#,
      #"{"class":"ERROR","message":"a \"b\"","source":"weather"}"#,
    ]
    #expect(written.split(separator: "\n").map(String.init) == expected)
    for line in written.split(separator: "\n") {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil)
    }
  }

  @Test func `a receiver is written as a DEVICE object like gpsd's, and its loss as an ERROR object`() async throws {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.driver = "NMEA0183"
    receiver.model = "u-blox 7"
    receiver.baud = 9600
    let events: [any PipelineEvent] = [
      SourceEvent.connected(SourceServer(address: "localhost:2947", release: "3.22")),
      SourceEvent.receiver(receiver),
      SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM1", isActive: false)),
      SourceEvent.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "gpsd"),
      SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd"),
    ]
    let objects = try await text("jsonlines", events).split(separator: "\n").map(String.init)
    #expect(
      objects == [
        #"{"class":"DEVICE","path":"/dev/ttyACM0","driver":"NMEA0183","#
          + #""activated":"1970-01-01T00:05:12.000Z","model":"u-blox 7","bps":9600}"#,
        #"{"class":"DEVICE","path":"/dev/ttyACM1","activated":0}"#,
        #"{"class":"ERROR","message":"the receiver is gone","source":"/dev/ttyACM0"}"#,
        #"{"class":"ERROR","message":"cannot be reached","source":"gpsd"}"#,
      ])
    let lines = try await text("text", events, isLive: false).split(separator: "\n")
    #expect(
      lines == [
        "server   localhost:2947, release 3.22",
        "receiver /dev/ttyACM0, u-blox 7, NMEA0183, 9600 baud",
        "receiver /dev/ttyACM1, not read at present",
        "error    /dev/ttyACM0: the receiver is gone", "error    gpsd: cannot be reached",
      ])
  }

  @Test func `the text sink makes control characters visible`() async throws {
    let written = try await text("text", [ErrorEvent(source: "x", message: "a\u{1B}[2J\r\nb")], isLive: false)
    #expect(written == "error    x: a␛[2J␍␊b\n")
  }

  @Test func `converting a fix to a location and back keeps all values`() throws {
    var fix = Fix.at(51.5, -0.1, time: UTCTime(secondsSince1970: 1_248_432_426))
    fix.altitudeMetersAboveSeaLevel = 35.2
    fix.altitudeMetersAboveEllipsoid = 78.8
    fix.geoidSeparationMeters = 43.6
    fix.speedMetersPerSecond = 4
    fix.courseDegreesTrue = 18
    fix.climbMetersPerSecond = -0.5
    fix.magneticVariationDegrees = -2.5
    fix.horizontalAccuracy = Accuracy(meters: 3, confidencePercent: 95, basis: .dilution)
    fix.verticalAccuracy = Accuracy(meters: 5, confidencePercent: 68, basis: .receiver)
    fix.dilution.horizontal = 1.1
    fix.dilution.vertical = 1.7
    fix.dilution.position = 2
    fix.satellitesUsed = 8
    fix.status = .differential
    fix.correctionAgeSeconds = 3
    fix.source = "/dev/ttyACM0"
    fix.receivedAt = MonotonicTime(nanoseconds: 7)
    fix.isSimulated = true
    fix.isDateCorrected = true
    #expect(Fix(try #require(Location(fix))) == fix)
  }

  @Test func `a loss of the fix is written as mode 1 for each epoch in JSON, but only once in text`() async throws {
    var fix = Fix(mode: .none)
    fix.satellitesUsed = 3
    let events: [any PipelineEvent] = [
      LocationEvent(Self.location), NoFixEvent(fix), NoFixEvent(fix), LocationEvent(Self.location),
      NoFixEvent(Fix(mode: .none)),
    ]
    let objects = try await text("jsonlines", events).split(separator: "\n")
    #expect(objects.count == 5)
    #expect(objects[1] == #"{"class":"TPV","mode":1,"sats":3}"#)
    let lines = try await text("text", events).split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(lines[1].hasSuffix("fix      no fix  3 sats"))
    #expect(lines[3].hasSuffix("fix      no fix"))
  }

  @Test(
    arguments: [
      (nil, nil, 1000, nil), (100, nil, 1000, 900), (100, 40, 1000, 960), (nil, 40, 1000, 960),
      (1600, nil, 1000, 0), (200_000, nil, 0, nil), (100, nil, nil, nil),
    ] as [(Int64?, Int64?, Int64?, Double?)])
  func `the age of weather is the age of its values, and is unknown if the values have no time`(
    valid: Int64?, issued: Int64?, now: Int64?, age: Double?
  ) {
    func time(_ seconds: Int64?) -> UTCTime? { seconds.map { UTCTime(secondsSince1970: $0) } }
    let report = Samples.report {
      $0.receivedAt = MonotonicTime(nanoseconds: 1)
      ($0.validAt, $0.issuedAt) = (time(valid), time(issued))
    }
    #expect(report.ageSeconds(at: time(now)) == age)
  }

  @Test func `the JSON lines of a replay contain no ages`() async throws {
    let written = try await text("jsonlines", [LocationEvent(Self.location), Self.enriched], isLive: false)
    #expect(!written.contains("age"))
  }

  @Test func `the text of a replay shows the recorded time`() async throws {
    var location = Self.location
    location.time = UTCTime(secondsSince1970: 1_248_432_426)
    let written = try await text("text", [LocationEvent(location)], isLive: false)
    #expect(written.hasPrefix("fix      2009-07-24 10:47:06Z  51.507350° N"))
  }

  @Test func `the text lines of events contain units, the kind of report, simulation and gate verdicts`() async throws {
    var path = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    path.isScripted = true
    let written = try await text(
      "text",
      [
        LocationEvent(Self.location), Self.enriched, PathEvent(path),
        GateEvent(gate: "reachability", verdict: .holds(reason: "noCarrier"), heldCount: 1),
        GateEvent(gate: "reachability", verdict: .passes, heldCount: 3),
      ])
    let lines = written.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[0].contains("51.507350° N   0.127760° W     35.2 m   15.3 km/h  3D"))
    #expect(lines[0].hasSuffix("age 1.5 s  simulated"))
    #expect(
      lines[1].hasSuffix(
        "weather  London, 11.4 °C, light rain, wind 5.1 m/s from 240° "
          + "[forecast by openmeteo, simulated, age 312 s]"))
    #expect(lines[2].hasSuffix("path     unsatisfied: noCarrier (scripted, not real)"))
    #expect(lines[3].hasSuffix("reachability holds the newest location: noCarrier"))
    #expect(lines[4].hasSuffix("reachability resumed; locations held: 3"))
    #expect(!written.contains("\u{1B}"))
    let colored = try await text("text", [PathEvent(path)], usesColor: true)
    #expect(colored.contains("\u{1B}[33m"))
  }

  @Test(
    arguments: [
      (1.25, 1, 0, "1.3"), (-0.04, 1, 0, "0.0"), (-1.5, 0, 5, "   -2"), (1e300, 2, 0, "1e+300"),
      (0.005, 3, 0, "0.005"), (12, 3, 8, "  12.000"),
    ] as [(Double, Int, Int, String)])
  func `numbers in text are rounded and padded`(value: Double, places: Int, width: Int, text: String) {
    #expect(Text.fixed(value, places, width: width) == text)
  }

  @Test func `the catalogue contains every file in the plugin folders, and each name once per role`() throws {
    let plugins = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/Plugins")
    for (folder, role) in [("Gates", PluginRole.gate), ("Sinks", .sink), ("Stages", .stage)] {
      let names = PluginCatalog.plugins(role).map(\.name)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: plugins.appendingPathComponent(folder).path
      ).filter { $0.hasSuffix(".swift") }
      #expect(files.count == names.count)
      #expect(Set(names).count == names.count)
    }
    #expect(PluginCatalog.plugin(.sink, "nonsense") == nil)
    #expect(PluginCatalog.plugin(.gate, "accuracy")?.name == "accuracy")
  }

  @Test func `writing to an invalid file descriptor is an error`() {
    #expect(throws: DescriptorOutput.Failure.self) {
      try DescriptorOutput(descriptor: -1).write([1])
    }
  }
}
