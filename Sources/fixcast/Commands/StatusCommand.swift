// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import FixcastConfiguration
internal import LocationServices
import Positioning

/// `fixcast status`: how the daemon is, and what the decisions are worth.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how the daemon is, what mode is in effect, and what you may know.",
    discussion: """
      Nothing in it says where the board is.

      Exits 69 where no daemon answers; every program then decides for itself by the same policy. \
      Exits 78 where none is found and the configuration, which may name its socket, cannot be read.
      """)

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func run() async throws {
    guard let client = try DaemonAccess.client() else {
      try Output.write(json ? Self.cooperative : Self.text(StatusText.cooperative))
      throw CommandFailure.unavailable(
        "\(DaemonAccess.address): no daemon answers there; start one with: fixcast run")
    }
    let notice = json ? WaitNotice.silent : .whenSlow("waiting for the daemon to say how it is")
    let told = await notice.during { () -> Result<DaemonStatus, DaemonClientError> in
      do throws(DaemonClientError) { return .success(try await client.status()) } catch {
        return .failure(error)
      }
    }
    switch told {
    case .failure(let error): throw DaemonAccess.failure(error)
    case .success(let status):
      let places = AuthPathOptions.ofRules
      let text = StatusText(
        status, prospect: PredictedVerdict(told: status.authorization, at: places),
        mistakes: PolicyCheck.errors(in: places.folders).all.map { "\($0)" })
      try Output.write(json ? status.json : Self.text(text.lines))
    }
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
