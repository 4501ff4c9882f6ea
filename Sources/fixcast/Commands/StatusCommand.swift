// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import FixcastConfiguration
internal import LocationServices
import Positioning

/// `fixcast status`: the daemon's state, the authorization mode, and this user's access.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print the daemon's status, the authorization mode, and your access.",
    discussion: """
      The output contains no position.

      Exits 69 if no daemon is running; each program then applies the same policy itself. Exits 78 \
      if no daemon is found and the configuration, which may set the daemon's socket path, cannot \
      be read.

      Examples:
        fixcast status
        fixcast status --json | jq .daemon.plugins
        fixcast status --prometheus
      """)

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  @Flag(name: .long, help: "Print metrics in the text format of Prometheus.")
  var prometheus = false

  func validate() throws {
    if json, prometheus {
      throw ValidationError("--json cannot be combined with --prometheus.")
    }
  }

  func run() async throws {
    guard let client = try DaemonAccess.client() else {
      // Without a daemon there are no metrics.
      if !prometheus {
        try Output.write(json ? Self.cooperative : Self.text(StatusText.cooperative))
      }
      throw CommandFailure.unavailable(
        "\(DaemonAccess.address): no daemon is running there; start it with: sudo systemctl start fixcast"
      )
    }
    if prometheus { return try await Self.printMetrics(of: client) }
    let notice = json ? WaitNotice.silent : .whenSlow("waiting for the daemon's status")
    let result = await notice.during { () -> Result<DaemonStatus, DaemonClientError> in
      do throws(DaemonClientError) { return .success(try await client.status()) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .failure(let error): throw DaemonAccess.failure(error)
    case .success(let status):
      let places = AuthPathOptions.rulePaths
      let words = status.client.split(separator: " ").map(String.init)
      let text = StatusText(
        status, client: (try? ClientSelector(words: words)).map(places.text),
        predicted: PredictedVerdict(reported: status.authorization, at: places),
        ruleErrors: PolicyCheck.errors(in: places.folders).all.map { "\($0)" })
      try Output.write(json ? status.json : Self.text(text.lines))
    }
  }

  private static func printMetrics(of client: DaemonClient) async throws {
    let metrics: [UInt8]
    do throws(DaemonClientError) { metrics = try await client.metrics() } catch {
      throw DaemonAccess.failure(error)
    }
    // node_exporter, whose textfile collector reads the output, has its own metrics of a process.
    try Output.write(Array(PrometheusText(metrics).removing(prefix: "process_").text.utf8))
  }

  private static var cooperative: [UInt8] {
    var line = JSONLine(reservingCapacity: 64)
    line.beginObject()
    line.constant("class", "STATUS")
    line.constant("mode", "cooperative")
    line.endObject()
    line.endLine()
    return line.bytes
  }

  private static func text(_ lines: [String]) -> [UInt8] {
    Array(lines.map { $0 + "\n" }.joined().utf8)
  }
}
