// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Logging
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Plugins

@Suite("Log sink")
struct LogSinkTests {
  private let lines = EventRecorder<String>()

  private struct Handler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    var lines: EventRecorder<String>

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }
      lines.record("\(event.level) \(event.message)" + fields.map { " \($0)=\($1)" }.joined())
    }
  }

  private func sink(_ level: Logger.Level, coordinates: Bool = false) -> LogSink {
    let logger = Logger(label: "test", factory: { [lines] _ in Handler(logLevel: level, lines: lines) })
    return LogSink(logger: logger, showsCoordinates: coordinates)
  }

  private static let location = Location.at(51.507_35, -0.127_76, time: UTCTime(secondsSince1970: 0)) {
    $0.source = "/dev/ttyACM0"
    $0.satellitesUsed = 8
  }

  private static let enriched = Samples.enriched(
    Samples.report("metno", at: location.coordinate), at: location,
    in: Place(id: 1, title: "London", coordinate: .at(51.5, -0.13)))

  @Test(arguments: [
    (Logger.Level.info, [true, false, true, false, true, false, false, true, true, false]),
    (.debug, [true, true, true, false, true, true, true, true, true, true]),
  ])
  func `the log's filter passes only the locations that the log writes`(level: Logger.Level, accepted: [Bool]) async {
    let logger = Logger(label: "test", factory: { [lines] _ in Handler(logLevel: level, lines: lines) })
    let (takes, sink) = (LogSink.eventFilter(for: logger), sink(level))
    let (location, noFix) = (LocationEvent(Self.location), NoFixEvent(Fix(mode: .none)))
    let events: [any PipelineEvent] = [
      location, location, noFix, noFix, location, location, Self.enriched,
      SourceEvent.lost(SourceLoss(.silent), source: "gpsd"), location, location,
    ]
    var logged: [Bool] = []
    #expect(events.map(takes) == accepted)
    for event in events {
      let count = lines.events.count
      await sink.receive(event)
      logged.append(lines.events.count > count)
    }
    // The filter must not reject an event that the sink would log.
    #expect(logged == accepted)
    #expect(takes(ErrorEvent(source: "a", message: "b")))
    #expect(takes(GateEvent(gate: "a", verdict: .passes, heldCount: 1)))
  }

  @Test func `events are logged with their fields`() async {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.model = "u-blox 7"
    var path = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
    path.interfaces = [.init(name: "eth0", kind: .wired)]
    let sink = sink(.info)
    for event in [
      SourceEvent.receiver(receiver), LocationEvent(Self.location), LocationEvent(Self.location),
      NoFixEvent(Fix(mode: .none)), NoFixEvent(Fix(mode: .none)), LocationEvent(Self.location),
      SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd"), LocationEvent(Self.location),
      PathEvent(path),
      GateEvent(gate: "reachability", verdict: .holds(reason: "noDefaultRoute"), heldCount: 1),
      GateEvent(gate: "reachability", verdict: .passes, heldCount: 3),
      AuthorizationEvent(Authorization(.denied)), ErrorEvent(source: "weather", message: "no"),
      Self.enriched,
    ] as [any PipelineEvent] {
      await sink.receive(event)
    }
    #expect(
      lines.events == [
        "info receiver model=u-blox 7 source=/dev/ttyACM0", "notice fix source=/dev/ttyACM0",
        "notice no fix", "notice fix source=/dev/ttyACM0",
        "warning lost: \(SourceLoss(.unreachable)) source=gpsd",
        "notice fix source=/dev/ttyACM0",
        "info network path unsatisfied interfaces=eth0 reason=noDefaultRoute",
        "info gate holds gate=reachability held=1 reason=noDefaultRoute",
        "info gate passes gate=reachability held=3",
        "notice authorization accuracy=full status=denied", "warning no source=weather",
      ])
  }

  @Test(arguments: [nil, "/dev/ttyACM0", "/dev/ttyUSB1"] as [String?])
  func `a fix after the loss of a source is logged at the level notice`(receiver: String?) async {
    let logger = Logger(label: "test", factory: { [lines] _ in Handler(logLevel: .notice, lines: lines) })
    let (takes, sink) = (LogSink.eventFilter(for: logger), sink(.notice))
    let loss = SourceLoss(.disconnected, receiver: receiver)
    let events: [any PipelineEvent] = [
      LocationEvent(Self.location), SourceEvent.lost(loss, source: "auto"),
      SourceEvent.lost(loss, source: "auto"), LocationEvent(Self.location),
      LocationEvent(Self.location),
    ]
    for event in events where takes(event) { await sink.receive(event) }
    #expect(
      lines.events.map { $0.prefix(12) } == [
        "notice fix s", "warning lost", "warning lost", "notice fix s",
      ])
  }

  @Test func `what a receiver states about itself is logged once, and a fault as a warning`() async {
    let sink = sink(.notice)
    for message in [
      ReceiverMessage(antenna: .open), ReceiverMessage(antenna: .open, isRepeated: true),
      ReceiverMessage(.error, "txbuf alloc"), ReceiverMessage(antenna: .good),
    ] {
      await sink.receive(SourceEvent.message(message, source: "/dev/ttyACM0"))
    }
    #expect(
      lines.events == [
        "warning the receiver reports that no antenna is connected (open); connect the antenna, or "
          + "check its cable and plug; a passive antenna is also reported as open "
          + "source=/dev/ttyACM0",
        "warning the receiver reports the error \"txbuf alloc\"; raise the baud rate of the "
          + "receiver, or switch off sentences source=/dev/ttyACM0",
        "notice the receiver reports a good antenna source=/dev/ttyACM0",
      ])
  }

  @Test func `locations are logged only at debug level, and coordinates only if configured`() async {
    for (level, shows) in [(Logger.Level.info, true), (.debug, false), (.debug, true)] {
      let sink = sink(level, coordinates: shows)
      await sink.receive(LocationEvent(Self.location))
      await sink.receive(Self.enriched)
    }
    #expect(
      lines.events == [
        "notice fix source=/dev/ttyACM0", "notice fix source=/dev/ttyACM0",
        "debug location mode=2d satellites=8 source=/dev/ttyACM0 time=1970-01-01 00:00:00Z",
        "debug weather kind=forecast provider=metno", "notice fix source=/dev/ttyACM0",
        "debug location latitude=51.507350 longitude=-0.127760 mode=2d satellites=8 "
          + "source=/dev/ttyACM0 time=1970-01-01 00:00:00Z",
        "debug weather kind=forecast place=London provider=metno",
      ])
  }

  @Test func `a simulated fix is logged as simulated`() async {
    var location = Self.location
    location.isSimulated = true
    await sink(.info).receive(LocationEvent(location))
    #expect(lines.events == ["notice simulated fix source=/dev/ttyACM0"])
    (location.isSimulated, location.isReplayed) = (false, true)
    await sink(.info).receive(LocationEvent(location))
    #expect(lines.events.last == "notice recorded fix source=/dev/ttyACM0")
  }
}
