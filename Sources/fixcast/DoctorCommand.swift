// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
import DaemonClient
import DaemonInterface
import Plugins
import Positioning

/// `fixcast doctor`: what would stop a fix, and the command that mends it.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what would stop a fix or a lookup, and the command that mends it.",
    discussion: """
      Looks at what is plugged in, who holds it, who may read it, gpsd, the udev rules and the \
      network path. Opens no receiver, asks nobody on the network and changes nothing. Exits 69 where something stops fixes from coming.
      """)

  @Flag(name: .long, help: "Print one JSON object a finding.")
  var json = false

  func run() async throws {
    var snapshot = DoctorSnapshot.ofThisSystem(socketPath: DaemonAccess.address.socketPath)
    // The daemon's user may write elsewhere than whoever asks: so it is the daemon's word that counts.
    if let status = try? await DaemonAccess.client?.status(),
      let overview = DaemonOverview(json: status.daemon)
    {
      snapshot.stateFault = overview.stateFault
      snapshot.daemonSource.name = overview.source?.name
      snapshot.daemonSource.fault = DaemonTrouble(overview)?.fault
    }
    let findings = Doctor.examine(snapshot)
    for finding in findings {
      print(json ? Self.object(finding) : Self.lines(finding) + "\n", terminator: "")
    }
    if findings.contains(where: { $0.severity == .bad }) { throw ExitCode(69) }
  }

  private static func lines(_ finding: DoctorFinding) -> String {
    let mark =
      switch finding.severity {
      case .good: "ok   "
      case .note: "note "
      case .bad: "BAD  "
      }
    let line = "\(mark) \(Text.padded(finding.subject, 16)) \(finding.text)"
    return finding.mend.map { "\(line)\n      \(Text.padded("", 16)) -> \($0)" } ?? line
  }

  private static func object(_ finding: DoctorFinding) -> String {
    var line = JSONLine()
    line.beginObject()
    line.string("class", "FINDING")
    line.string("severity", finding.severity.rawValue)
    line.string("subject", finding.subject)
    line.string("message", finding.text)
    line.string("mend", finding.mend)
    line.endObject()
    line.endLine()
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
