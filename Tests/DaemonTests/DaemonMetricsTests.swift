// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import PathMonitorClient
import Pipeline
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("Metrics of the daemon's status") struct DaemonMetricsTests {

  private static func texts(_ report: DaemonReport, _ usage: ProcessUsage = ProcessUsage()) -> (
    excerpt: String, full: String
  ) {
    let status = report.metrics(process: usage, now: .at(100))
    return (
      String(decoding: status.forEverybody, as: UTF8.self),
      String(decoding: status.forFullAccuracy, as: UTF8.self)
    )
  }

  @Test func `a report without values has only the version and counters at zero`() {
    var report = DaemonReport()
    report.version = "1.2.3"
    let (excerpt, full) = Self.texts(report)
    let version = """
      # HELP fixcast_build_info The version of the daemon.
      # TYPE fixcast_build_info gauge
      fixcast_build_info{version="1.2.3"} 1

      """
    #expect(excerpt == version)
    #expect(
      full == version + """
        # HELP fixcast_receiver_reconnects_total Restarts of sources after failures.
        # TYPE fixcast_receiver_reconnects_total counter
        fixcast_receiver_reconnects_total 0

        """)
  }

  @Test func `sentences, sinks, lookups and the path are reported, in full only to authorized clients`() {
    var report = DaemonReport()
    report.version = "1.2.3"
    report.source.counters.bytes = 100
    (report.source.counters.sentences, report.source.counters.wrongChecksums) = (60, 2)
    report.source.counters.unknownSentences = 10
    report.source.diagnosis.restartCount = 4
    var sink = PluginStatus(role: .sink, name: "a\"b", state: .running)
    (sink.outCount, sink.droppedCount, sink.queueDepth) = (5, 1, 3)
    (sink.undeliveredCount, sink.state) = (4, .waiting)
    (sink.oldestAt, sink.since) = (.at(70), .at(40))
    var server = FeedServer.Status()
    (server.failures, server.since) = (["127.0.0.1:1: in use"], .at(90))
    report.feedServers = [("nmea", server), ("web", FeedServer.Status())]
    report.plugins = [sink, PluginStatus(role: .gate, name: "gate", state: .running)]
    report.weather = WeatherLookupStatus()
    (report.counters.lookupsAnswered, report.counters.lookupsFailed) = (8, 9)
    report.path = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    let (excerpt, full) = Self.texts(report, ProcessUsage(residentBytes: 4096, processorSeconds: 1.5))
    let everybody = [
      "fixcast_path_satisfied 0", "process_resident_memory_bytes 4096",
      "process_cpu_seconds_total 1.5",
    ]
    let authorized = [
      #"fixcast_sentences_total{result="used"} 50"#,
      #"fixcast_sentences_total{result="unused"} 10"#,
      #"fixcast_sentences_total{result="refused"} 0"#,
      #"fixcast_sentences_total{result="wrong_checksum"} 2"#,
      #"fixcast_sentences_total{result="no_checksum"} 0"#, "fixcast_receiver_reconnects_total 4",
      #"fixcast_sink_events_total{sink="a\"b",result="accepted"} 5"#,
      #"fixcast_sink_events_total{sink="a\"b",result="dropped"} 1"#,
      #"fixcast_sink_queue{sink="a\"b"} 7"#, #"fixcast_sink_oldest_age_seconds{sink="a\"b"} 30"#,
      #"fixcast_sink_running{sink="a\"b"} 0"#,
      #"fixcast_sink_state_age_seconds{sink="a\"b",state="waiting"} 60"#,
      #"fixcast_server_running{server="nmea"} 0"#,
      #"fixcast_server_state_age_seconds{server="nmea",state="failed"} 10"#,
      #"fixcast_weather_lookups_total{result="answered"} 8"#,
      #"fixcast_weather_lookups_total{result="failed"} 9"#,
    ]
    for line in everybody + authorized { #expect(full.contains("\n\(line)\n"), "\(line): \(full)") }
    for line in everybody { #expect(excerpt.contains("\n\(line)\n"), "\(line)") }
    for line in authorized { #expect(!excerpt.contains(line), "\(line)") }
    #expect(!full.contains(#"server="web""#))
    #expect(!full.contains("gate") && !full.contains("weather_issued"))
  }

  @Test func `the time of the last weather report is the provider's, and absent if it is unknown`() {
    let issued = Samples.report("metno") { $0.issuedAt = .noon(plus: -60) }
    var report = DaemonReport()
    var weather = WeatherLookupStatus()
    weather.take(Samples.enriched(issued), at: .at(40))
    report.weather = weather
    let line = #"fixcast_weather_issued_timestamp_seconds{provider="metno"} 1795262340"#
    #expect(Self.texts(report).full.contains("\n\(line)\n"), "\(Self.texts(report).full)")
    report.weather = WeatherLookupStatus()
    #expect(!Self.texts(report).full.contains("issued"))
  }

  @Test func `the memory and the processor time of this process are known`() throws {
    let usage = ProcessUsage.current()
    #expect(try #require(usage.residentBytes) > 1_000_000)
    #expect(try #require(usage.processorSeconds) > 0)
  }
}
