// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DaemonClient
import DaemonInterface
import Glibc
import LocationServices
import Plugins
import Positioning

/// `fixcast status`: how the daemon is, and what the decisions are worth.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how the daemon is, what mode is in effect, and what you may know.",
    discussion: """
      Nothing in it says where the board is.

      Exits 69 where no daemon answers; every program then decides for itself by the same policy.
      """)

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    guard let client = DaemonAccess.client else {
      try print(json ? Self.cooperative : Self.text(StatusText.cooperative))
      throw CommandFailure.unavailable(
        "\(DaemonAccess.address): no daemon answers there; start one with: fixcast run")
    }
    let status: DaemonStatus
    do throws(DaemonClientError) { status = try await client.status() } catch {
      throw DaemonAccess.failure(error)
    }
    try print(json ? status.json : Self.text(StatusText(status).lines))
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

  private func print(_ bytes: [UInt8]) throws {
    do { try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes) } catch {
      throw CommandFailure.inputOutput("standard output: \(error)")
    }
  }
}
