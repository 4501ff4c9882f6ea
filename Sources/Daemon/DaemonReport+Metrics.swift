// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import DaemonServer
internal import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import Receivers

extension DaemonReport {
  /// Formats the report and its excerpt as metrics for Prometheus.
  ///
  /// The server adds the metrics of the clients, the receivers and the last fix.
  ///
  /// - Parameters:
  ///   - process: The resources that the daemon uses.
  ///   - now: The current time.
  /// - Returns: The report and its excerpt.
  func metrics(process: ProcessUsage, now: MonotonicTime) -> ServerStatus {
    var text = PrometheusText()
    text.add(
      "fixcast_build_info", .gauge, [.init(1, ("version", version))],
      help: "The version of the daemon.")
    text.add(
      "fixcast_path_satisfied", .gauge, path.map { $0.status == .satisfied ? 1 : 0 },
      help: "Whether the board has a network path.")
    text.add(
      "process_resident_memory_bytes", .gauge, process.residentBytes,
      help: "Resident memory of the daemon.")
    text.add(
      "process_cpu_seconds_total", .counter, process.processorSeconds,
      help: "Processor time of the daemon.")
    let excerpt = Array(text.text.utf8)
    addSource(to: &text)
    addSinks(to: &text, now)
    addServers(to: &text, now)
    addWeather(to: &text)
    return ServerStatus(forEverybody: excerpt, forFullAccuracy: Array(text.text.utf8))
  }

  private func addSource(to text: inout PrometheusText) {
    text.add(
      "fixcast_receiver_reconnects_total", .counter, Double(source.diagnosis.restartCount),
      help: "Restarts of sources after failures.")
    // The sentences of gpsd's receivers are not counted.
    guard source.counters.bytes > 0 else { return }
    text.add(
      "fixcast_sentences_total", .counter,
      ReceivedLines.Result.allCases.map {
        .init(source.counters.lines[$0], ("result", $0.label))
      }, help: "Lines from serial receivers, by the result of reading them.")
  }

  private func addSinks(to text: inout PrometheusText, _ now: MonotonicTime) {
    let sinks = plugins.filter { $0.role == .sink }
    text.add(
      "fixcast_sink_events_total", .counter,
      sinks.flatMap { sink -> [PrometheusText.Sample] in
        [
          .init(sink.outCount, ("sink", sink.name), ("result", "accepted")),
          .init(sink.droppedCount, ("sink", sink.name), ("result", "dropped")),
        ]
      }, help: "Events that a sink has accepted, or that were dropped before.")
    text.add(
      "fixcast_sink_queue", .gauge,
      sinks.map { .init(Double($0.waitingCount), ("sink", $0.name)) },
      help: "Events that wait for a sink, or in it for their delivery.")
    text.add(
      "fixcast_sink_oldest_age_seconds", .gauge,
      sinks.map { sink in
        .init(sink.oldestAt.map { max(now.seconds(since: $0), 0) } ?? 0, ("sink", sink.name))
      }, help: "Age of the oldest event that waits; 0 if none waits.")
    text.add(
      "fixcast_sink_running", .gauge,
      sinks.map { .init($0.state == .running ? 1.0 : 0, ("sink", $0.name)) },
      help: "Whether a sink delivers.")
    text.add(
      "fixcast_sink_state_age_seconds", .gauge,
      sinks.map { sink in
        .init(
          sink.since.map { now.seconds(since: $0) }, ("sink", sink.name),
          ("state", sink.state.rawValue))
      }, help: "Time since which a sink has been in its state.")
  }

  private func addServers(to text: inout PrometheusText, _ now: MonotonicTime) {
    let servers = feedServers.filter { $0.status.state != .stopped }
    text.add(
      "fixcast_server_running", .gauge,
      servers.map { .init($0.status.state == .running ? 1.0 : 0, ("server", $0.name)) },
      help: "Whether a server listens on all of its addresses.")
    text.add(
      "fixcast_server_state_age_seconds", .gauge,
      servers.map { server in
        .init(
          server.status.since.map { now.seconds(since: $0) }, ("server", server.name),
          ("state", server.status.state.rawValue))
      }, help: "Time since which a server has been in its state.")
  }

  private func addWeather(to text: inout PrometheusText) {
    guard let weather else { return }
    text.add(
      "fixcast_weather_lookups_total", .counter,
      [
        .init(counters.lookupsAnswered, ("result", "answered")),
        .init(counters.lookupsFailed, ("result", "failed")),
      ], help: "Weather lookups of the daemon, including those answered from stored reports.")
    guard let provider = weather.provider else { return }
    text.add(
      "fixcast_weather_issued_timestamp_seconds", .gauge,
      [.init(PrometheusText.seconds(weather.issuedAt), ("provider", provider))],
      help: "Time at which the provider issued the last weather report.")
  }
}
