// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("Daemon status report")
struct DaemonReportTests {
  private static let now = MonotonicTime.at(100)

  private static var full: DaemonReport {
    var report = DaemonReport()
    report.version = "1.2.3"
    report.startedAt = .noon
    report.uptimeSeconds = 99.96
    report.source.name = "/dev/ttyACM0"
    report.source.state = .running
    (report.source.counters.bytes, report.source.counters.sentences) = (4200, 60)
    report.source.diagnosis = .withReceiver
    report.source.diagnosis.restartCount = 1
    report.source.lastFixAt = .at(99.5)
    report.source.errorCount = 2
    report.source.lastError = "GET /?lat=51.5074: refused"
    var plugin = PluginStatus(role: .sink, name: "gpx", state: .waiting, isRequired: true)
    plugin.inCount = 7
    plugin.queueLimit = 16
    plugin.batchedCount = 3
    plugin.lastSuccessAt = .at(40)
    plugin.lastError = PluginError(.transient(), "write", why: "at 51.5074, -0.1278: disk full")
    plugin.lastErrorAt = .at(90)
    report.plugins = [plugin]
    report.counters.locations = 7
    report.counters.lookupsAsked = 3
    report.path = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    report.configurationFiles = ["/etc/fixcast/config.toml"]
    report.loadedAt = .at(10)
    report.configurationErrors = ["config.toml:3: home = 51.5074: unknown key"]
    report.lostLogLines = 4
    report.lostAuditLines = 5
    return report
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `the status report is one line of JSON, with ages measured by the monotonic clock`() {
    let text = Self.text(Self.full.json(now: Self.now))
    #expect(
      text == """
        {"release":"1.2.3","started":"2026-11-21T12:00:00.000Z","uptime":100.0,\
        "source":{"name":"/dev/ttyACM0","state":"running","bytes":4200,"sentences":60,\
        "badLines":0,"lines":{"used":60,"unused":0,"refused":0,"wrongChecksum":0,"noChecksum":0,\
        "cut":0,"other":0,"text":"4200 bytes, 60 lines: 60 used"},"notices":[],"droppedEvents":0,"errors":2,"restarts":1,"fixAge":0.5,\
        "lastError":"GET /?lat=51.5074: refused"},\
        "plugins":[{"role":"sink","name":"gpx","state":"waiting","required":true,"errors":0,\
        "restarts":0,"timeouts":0,"abandoned":0,"in":7,"out":0,"dropped":0,"queue":0,\
        "queueHighWater":0,"queueLimit":16,"batched":3,"successAge":60.0,\
        "lastError":"write: at 51.5074, -0.1278: disk full","errorAge":10.0}],\
        "lookups":{"asked":3,"answered":0,"failed":0,"postponed":0},\
        "weather":{"isOff":true},"locations":7,"held":0,"errors":0,\
        "path":{"status":"unsatisfied","reason":"noCarrier"},\
        "configuration":{"files":["/etc/fixcast/config.toml"],"age":90.0,\
        "wrong":["config.toml:3: home = 51.5074: unknown key"]},"lostLogLines":4,"lostAuditLines":5}
        """)
  }

  @Test func `the status report marks a replayed fix, with the age since it was recorded`() {
    var report = Self.full
    report.source.isReplayed = true
    #expect(!Self.text(report.json(now: Self.now)).contains("fixAge"))
    report.source.lastFixRecordedAt = Self.now.advanced(byNanoseconds: -100_800_000_000_000)
    #expect(Self.text(report.json(now: Self.now)).contains(#""fixAge":100800.0,"replayed":true"#))
  }

  @Test func `the public status report contains no text that may reveal the location`() {
    let text = Self.text(Self.full.status(now: Self.now).forEverybody)
    #expect(!text.contains("51.5074") && !text.contains("lastError"))
    #expect(
      text == """
        {"release":"1.2.3","source":{"state":"running"},"weather":{"isOff":true},\
        "path":{"status":"unsatisfied","reason":"noCarrier"},"configuration":{"isBroken":true}}
        """)
  }

  @Test func `only the whole status report explains a missing fix, and has the error of the clock`() {
    var report = Self.full
    report.source.diagnosis.noFix = NoFixExplanation(
      source: "/dev/a", input: .nmea, reportsEpochs: true, seconds: 40.4,
      sky: SkySummary(inView: 9, withSignal: 6, strong: 5, strongestDBHz: 44))
    report.clockError = SystemClockError(aheadSeconds: -61, receiverTime: .noon)
    let text = Self.text(report.json(now: Self.now))
    let noFix = """
      "noFix":{"source":"/dev/a","input":"nmea","reportsEpochs":true,"seconds":40.4,"inView":9,\
      "withSignal":6,"strong":5,"strongest":44.0,"text":"/dev/a: no fix in 40 s of data
      """
    #expect(text.contains(noFix), "\(text)")
    let clock = #""clock":{"ahead":-61.0,"receiverSeconds":1795262400,"text":"the system"#
    #expect(text.contains(clock), "\(text)")
    let excerpt = Self.text(report.status(now: Self.now).forEverybody)
    #expect(!excerpt.contains("noFix") && !excerpt.contains("clock"))
  }

  @Test func `the whole status report marks a current position at exactly 0° N, 0° E`() {
    var report = Self.full
    #expect(!Self.text(report.json(now: Self.now)).contains("zeroPosition"))
    report.source.isZeroPosition = true
    #expect(Self.text(report.json(now: Self.now)).contains(#""zeroPosition":true"#))
    #expect(!Self.text(report.status(now: Self.now).forEverybody).contains("zeroPosition"))
    report.source.diagnosis.noFix = NoFixExplanation(input: .nmea, reportsEpochs: true, seconds: 40)
    #expect(!Self.text(report.json(now: Self.now)).contains("zeroPosition"))
  }

  @Test func `only the whole status report has the counts of lines and the receivers' statements`() {
    var report = Self.full
    report.source.counters.refusedSentences = 2
    report.source.counters.firstRefused = "GPRMC field 1: not a time of day"
    report.source.isUnchecked = true
    var message = ReceiverMessage(antenna: .shorted)
    (message.source, message.receivedAt) = ("/dev/a", Self.now.advanced(byNanoseconds: -3_000_000_000))
    report.source.diagnosis.messages = [message]
    let text = Self.text(report.json(now: Self.now))
    #expect(text.contains(#""refused":2,"#) && text.contains(#""unchecked":true"#), "\(text)")
    #expect(
      text.contains(
        #""firstRefused":"GPRMC field 1: not a time of day","text":"4200 bytes, 62 lines: 60 used, "#
          + #"2 refused (the first: GPRMC field 1: not a time of day)""#), "\(text)")
    #expect(
      text.contains(
        #""messages":[{"source":"/dev/a","kind":"antenna","antenna":"shorted","age":3.0,"#
          + #""message":"the receiver reports a short circuit of its antenna","#), "\(text)")
    let excerpt = Self.text(report.status(now: Self.now).forEverybody)
    #expect(!excerpt.contains("lines") && !excerpt.contains("antenna"), "\(excerpt)")
  }

  @Test func `the public status report says whether weather is off, but omits the status of lookups`() {
    var report = Self.full
    let off = #""weather":{"isOff":true}"#
    #expect(Self.text(report.status(now: Self.now).forEverybody).contains(off))
    report.weather = WeatherLookupStatus()
    #expect(!Self.text(report.status(now: Self.now).forEverybody).contains("weather"))
  }

  @Test func `the public status report contains no count or age that depends on the board's movement`() {
    let text = Self.text(Self.full.status(now: Self.now).forEverybody)
    // A distance gate's count reveals the distance moved, a fix's age reveals a tunnel, and the
    // number of lookups reveals a change of cell.
    for key in [
      "in", "out", "dropped", "queue", "successAge", "errorAge", "fixAge", "bytes", "sentences",
      "lookups", "locations", "held",
    ] {
      #expect(!text.contains("\"\(key)\""), "\(key)")
    }
  }

  @Test func `only the full status report contains the outcome of the last lookup`() {
    var report = Self.full
    var weather = WeatherLookupStatus()
    weather.take(
      LookupFailureEvent(
        .of(provider: "openmeteo", host: "api.open-meteo.com", .network("refused")),
        retryAfterSeconds: 60), at: .at(90))
    weather.take(
      LookupFailureEvent(.notDue(afterSeconds: 120, reason: "back-off"), retryAfterSeconds: 120),
      at: .at(95))
    report.weather = weather
    let text = Self.text(report.json(now: Self.now))
    #expect(
      text.contains(
        #""weather":{"lastError":"openmeteo (api.open-meteo.com): weather provider not reached: "#
          + #"refused","errorAge":10.0,"failingFor":10.0,"advice":"fixcast path","#
          + #""retryAfter":115.0},"locations":7"#), "\(text)")
    #expect(!Self.text(report.status(now: Self.now).forEverybody).contains("weather"))
    report.weather?.take(Samples.enriched(Samples.report("metno")), at: .at(99))
    report.weather?.take(
      GateEvent(gate: "reachability", verdict: .holds(reason: "noCarrier"), heldCount: 1),
      at: .at(99))
    let after = Self.text(report.json(now: Self.now))
    #expect(after.contains(#""weather":{"provider":"metno","answerAge":1.0,"held":"noCarrier"}"#), "\(after)")
  }

  @Test func `stored weather has the time of the provider's reply, and does not clear a later error`() {
    var weather = WeatherLookupStatus()
    weather.take(LookupFailureEvent(.timedOut(afterSeconds: 15), retryAfterSeconds: 60), at: .at(90))
    func takeReport(cachedForSeconds seconds: Double) {
      weather.take(Samples.enriched(Samples.report("metno") { $0.cachedForSeconds = seconds }), at: .at(95))
    }
    takeReport(cachedForSeconds: 30)
    #expect(weather.provider == "metno" && weather.answeredAt == .at(65))
    #expect(weather.lastError != nil && weather.failedAt == .at(90))
    #expect(weather.retryAt == nil)
    // A weather report that another program received after the error clears the error.
    takeReport(cachedForSeconds: 2)
    #expect(weather.answeredAt == .at(93) && weather.lastError == nil)
  }

  @Test func `the status report shows why a renamed reachability gate holds locations`() async {
    struct Shut: Gate {
      let name = "reachability"
      func run(
        _ input: AsyncStream<EnrichedLocation>,
        pass: @escaping @Sendable (EnrichedLocation) -> Void,
        report: @escaping @Sendable (any PipelineEvent) -> Void
      ) async {
        report(GateEvent(gate: name, verdict: .holds(reason: "noCarrier"), heldCount: 1))
        for await _ in input {}
      }
    }
    struct Verdicts: Sink {
      let name = "verdicts"
      let events: EventRecorder<GateEvent>
      func receive(_ event: any PipelineEvent) async throws {
        if let event = event as? GateEvent { events.record(event) }
      }
    }
    let events = EventRecorder<GateEvent>()
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("net", .gate { Shut() }),
        PluginSpecification("verdicts", .sink { Verdicts(events: events) }),
      ]))
    async let run = pipeline.run()
    await events.wait(for: 1)
    pipeline.finish()
    #expect(await run == .finished)
    var weather = WeatherLookupStatus()
    for event in events.events { weather.take(event, at: .at(1)) }
    #expect(events.events.map(\.gate) == ["net"] && weather.heldBy == "noCarrier")
  }

  @Test func `the status report omits fields without a value`() {
    let text = Self.text(DaemonReport().json(now: Self.now))
    for key in ["fixAge", "lastError", "path", "age", "started"] {
      #expect(!text.contains("\"\(key)\""), "\(key)")
    }
    #expect(text.hasSuffix("}") && text.contains(#""plugins":[]"#))
  }

  @Test func `the status line reports the state of the source without the location`() {
    var report = DaemonReport()
    report.source.state = .running
    report.source.diagnosis = .withReceiver
    #expect(report.summary(now: Self.now) == "no fix yet")
    report.source.diagnosis.notices = ["no receiver is plugged in"]
    #expect(report.summary(now: Self.now) == "no receiver is plugged in")
    report.source.lastFixAt = .at(91)
    #expect(report.summary(now: Self.now) == "receiving fixes")
    report.source.lastFixAt = .at(60)
    #expect(report.summary(now: Self.now) == "receiving fixes")
    report.source.lastFixAt = .at(-800)
    #expect(report.summary(now: Self.now) == "no fix for at least 15 minutes")
    report.source.state = .stopped
    #expect(report.summary(now: Self.now) == "no source")
  }

  @Test func `the status line names failures without their error texts`() {
    var report = Self.full
    report.source.state = .waiting
    #expect(
      report.summary(now: Self.now)
        == "source failed, retrying; no network (noCarrier); sink gpx waiting; "
        + "configuration invalid, previous one still active")
    report.plugins[0].state = .blocked
    #expect(report.summary(now: Self.now).contains("; sink gpx blocked;"))
  }

  @Test func `only the full status report contains the reason why state cannot be saved`() {
    var report = DaemonReport()
    report.stateFault = "state_directory /x: not saved"
    let line = report.summary(now: Self.now)
    #expect(line.hasSuffix("; cannot save all state"))
    let text = Self.text(report.json(now: Self.now))
    #expect(text.contains(#""stateFault":"state_directory /x: not saved","lostLogLines":0"#))
    #expect(!Self.text(report.status(now: Self.now).forEverybody).contains("/x"))
  }

  @Test func `the public and the full status report say that the daemon's own authorization is denied`() {
    var report = DaemonReport()
    for (authorization, isIncluded) in [
      (AuthorizationStatus.denied, true), (.authorizedAlways, false),
    ] {
      report.authorization = authorization
      let status = report.status(now: Self.now)
      for text in [status.forEverybody, status.forFullAccuracy].map(Self.text) {
        #expect(text.contains(#""authorization":"denied""#) == isIncluded)
      }
    }
  }

  @Test func `the full status report has the reason, the age and the queue of a sink and a server`() {
    var report = Self.full
    report.plugins[0].reason = "no broker"
    report.plugins[0].since = .at(30)
    (report.plugins[0].queueDepth, report.plugins[0].undeliveredCount) = (2, 5)
    report.plugins[0].oldestAt = .at(50)
    var server = FeedServer.Status()
    (server.failures, server.since) = (["127.0.0.1:1: in use"], .at(90))
    report.feedServers = [("nmea", server)]
    let text = Self.text(report.json(now: Self.now))
    #expect(text.contains(#""state":"waiting","reason":"no broker","stateAge":70.0"#), "\(text)")
    #expect(text.contains(#""queue":7,"undelivered":5,"oldestAge":50.0"#), "\(text)")
    #expect(text.contains(#""name":"nmea","state":"failed","stateAge":10.0"#), "\(text)")
    #expect(report.summary(now: Self.now).contains("nmea server failed"))
    let short = Self.text(report.status(now: Self.now).forEverybody)
    #expect(!short.contains("broker") && !short.contains("nmea"))
  }

  @Test func `only the full status report contains the time for which a plugin has been blocked`() {
    var report = Self.full
    report.plugins[0].state = .blocked
    report.plugins[0].blockedSince = .at(30)
    let text = Self.text(report.json(now: Self.now))
    #expect(text.contains(#""state":"blocked""#) && text.contains(#""blockedAge":70.0"#))
    let short = Self.text(report.status(now: Self.now).forEverybody)
    #expect(!short.contains("blocked") && !short.contains("gpx"))
  }
}
