// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Metrics of a daemon with a simulated receiver, checked by Prometheus itself.
@Suite("Metrics for Prometheus", .serialized, .timeLimit(.minutes(2)))
struct PrometheusTests {
  private static let promtool = "/usr/bin/promtool"
  private static let prometheus = "/usr/bin/prometheus"
  private static let isInstalled = access(promtool, X_OK) == 0 && access(prometheus, X_OK) == 0
  private static let names = [
    "fixcast_build_info", "fixcast_receiver_connected", "fixcast_fix_mode",
    "fixcast_fix_timestamp_seconds", "fixcast_fix_horizontal_accuracy_meters",
    "fixcast_satellites", "fixcast_signal_dbhz", "fixcast_receiver_reconnects_total",
    "fixcast_clients", "fixcast_authorization_requests_pending", "fixcast_sink_events_total",
    "fixcast_sink_queue", "fixcast_sink_oldest_age_seconds", "fixcast_sink_running",
    "fixcast_sink_state_age_seconds", "fixcast_server_running", "fixcast_server_state_age_seconds",
    "fixcast_path_satisfied",
  ]

  /// Runs a daemon that listens for Prometheus on a port.
  private func withBoard(
    position: Bool = false, _ body: (borrowing DaemonFixture, ReservedPort) async throws -> Void
  ) async throws {
    let board = try DaemonFixture()
    try board.folder.makeFolder("root")
    let port = try ReservedPort()
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + "[gpsd_server]\nenabled = false\n"
        + "[metrics]\nlisten = [\"127.0.0.1:\(port.number)\"]\nposition = \(position)\n")
    try await board.use { daemon in
      await DaemonFixture.wait(for: "metrics server: listening on 127.0.0.1:", daemon)
      try await body(board, port)
    }
    port.release()
  }

  /// Reads the metrics after the daemon has received a position with satellites.
  private func metrics(_ board: borrowing DaemonFixture) async throws -> [String] {
    let arguments = ["watch", "--json", "--no-weather"]
    _ = try await ChildProcess.use(path: Program.path, arguments: arguments, environment: board.environment) { watch in
      await watch.lines.wait { lines in
        lines.contains { $0.contains(#""class":"TPV""#) && $0.contains(#""mode":3"#) }
          && lines.contains { $0.contains(#""class":"SKY""#) }
      }
    }
    let answer = try await board.run("status", "--prometheus")
    try #require(answer.code == 0, "\(answer.lines)")
    return answer.lines
  }

  @Test func `status --prometheus prints the metrics with help and type, without a position`() async throws {
    try await withBoard { board, port in
      let lines = try await metrics(board)
      #expect(lines.contains { $0.hasPrefix("fixcast_satellites{") }, "\(lines)")
      for name in Self.names {
        #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") }, "\(name)")
        #expect(lines.contains { $0.hasPrefix("# TYPE \(name) ") }, "\(name)")
      }
      #expect(!lines.contains { $0.contains("degrees") })
      // node_exporter has metrics with these names.
      #expect(!lines.contains { $0.contains("process_") }, "\(lines)")
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.contains("127.0.0.1:\(port.number)") }, "\(status.lines)")
    }
  }

  @Test func `with position = true the metrics contain the position`() async throws {
    try await withBoard(position: true) { board, _ in
      let lines = try await metrics(board)
      for (name, range) in [("latitude", -90.0...90.0), ("longitude", -180.0...180.0)] {
        let line = lines.first { $0.hasPrefix("fixcast_position_\(name)_degrees{") } ?? ""
        #expect(line.contains(#"simulated="true"}"#), "\(lines)")
        let value = line.split(separator: " ").last.flatMap { Double($0) }
        #expect(value.map { range.contains($0) && $0 != 0 } == true, "\(line)")
      }
    }
  }

  @Test func `a reload closes the port`() async throws {
    let board = try DaemonFixture()
    let port = try ReservedPort()
    try board.configure("[metrics]\nlisten = [\"127.0.0.1:\(port.number)\"]\n")
    try await board.use { daemon in
      await DaemonFixture.wait(for: "metrics server: listening on 127.0.0.1:", daemon)
      try board.configure("")
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "configuration reloaded: metrics changed", daemon)
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.hasPrefix("metrics server off") }, "\(status.lines)")
    }
    port.release()
  }

  @Test func `status rejects --json together with --prometheus, and an unknown --watch`() async throws {
    for (option, message) in [
      ("--json", "--json cannot be combined with --prometheus"), ("--watch", "'--watch'"),
    ] {
      let answer = try await Program.run("status", option, "--prometheus")
      #expect(answer.code == 64, "\(answer.lines)")
      #expect(answer.lines.contains { $0.contains(message) }, "\(answer.lines)")
    }
  }

  @Test func `without a daemon, status --prometheus fails and prints no metrics`() async throws {
    let board = try DaemonFixture()
    let answer = try await board.run("status", "--prometheus")
    #expect(answer.code == 69 && answer.lines.count == 1, "\(answer.lines)")
    #expect(answer.lines.first?.contains("no daemon is running there") == true)
  }

  @Test(.enabled(if: isInstalled, "needs prometheus: make test-deps"))
  func `promtool finds no fault`() async throws {
    try await withBoard(position: true) { board, _ in
      let lines = try await metrics(board)
      #expect(lines.contains { $0.hasPrefix("fixcast_satellites{") }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("fixcast_position_latitude_degrees{") }, "\(lines)")
      try board.folder.write("metrics.prom", lines.joined(separator: "\n") + "\n")
      let check = try await ChildProcess.run(
        path: "/bin/sh",
        arguments: ["-c", "exec \(Self.promtool) check metrics < \(board.path)/metrics.prom"])
      #expect(check.code == 0 && check.lines.isEmpty, "\(check.lines)")
    }
  }

  @Test(.enabled(if: isInstalled, "needs prometheus: make test-deps"))
  func `Prometheus scrapes the port`() async throws {
    try await withBoard(position: true) { board, port in
      let web = try ReservedPort()
      let log = board.path + "/tsdb/wal"
      try board.folder.write(
        "prometheus.yml",
        """
        global: {scrape_interval: 1s}
        scrape_configs:
          - job_name: fixcast
            static_configs: [{targets: ["127.0.0.1:\(port.number)"]}]

        """)
      try await ChildProcess.use(
        path: Self.prometheus,
        arguments: [
          "--config.file=\(board.path)/prometheus.yml", "--storage.tsdb.path=\(board.path)/tsdb",
          "--web.listen-address=127.0.0.1:\(web.number)",
        ]
      ) { process in
        let up = try await query("up", at: web.number, log) { $0.contains("=> 1 ") }
        #expect(up.contains(#"job="fixcast""#), "\(up)\n\(process.lines.events)")
        let build = try await query("fixcast_build_info", at: web.number, log) {
          $0.contains("version=")
        }
        #expect(build.contains("=> 1 "), "\(build)")
        let mode = try await query("fixcast_fix_mode", at: web.number, log) {
          $0.contains("=> 3 ")
        }
        #expect(mode.contains(#"simulated="true""#), "\(mode)")
        for name in [
          "fixcast_satellites", "fixcast_position_latitude_degrees",
          "process_resident_memory_bytes{job=\"fixcast\"}",
        ] {
          let value = try await query(name, at: web.number, log) { $0.contains("=> ") }
          #expect(value.contains("=> "), "\(name): \(value)")
        }
      }
      web.release()
    }
  }

  /// Queries Prometheus until an answer is accepted.
  ///
  /// Queries again after each scrape, whose samples Prometheus writes to the folder of its log.
  private func query(
    _ metric: String, at port: UInt16, _ log: String, until isAccepted: (String) -> Bool
  ) async throws -> String {
    var answer = ""
    try await FolderChanges.wait(in: log) {
      let arguments = ["query", "instant", "http://127.0.0.1:\(port)", metric]
      let output = try await ChildProcess.run(path: Self.promtool, arguments: arguments)
      answer = output.lines.joined(separator: "\n")
      return output.code == 0 && isAccepted(answer)
    }
    return answer
  }
}
