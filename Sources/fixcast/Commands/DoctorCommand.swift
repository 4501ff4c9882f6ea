// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import Doctor
import LocationServices
import Plugins
import Positioning
import SystemSupport

/// `fixcast doctor`: what would stop a fix, and the command that mends it.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what would stop a fix or a lookup, and the command that mends it.",
    discussion: """
      Looks at what is plugged in, who holds it, who may read it, gpsd, the udev rules, the \
      network path, the configuration and what has been decided of who may know. Opens \
      no receiver, asks nobody on the network and changes nothing. Exits 69 where something stops \
      fixes from coming.
      """)

  @Flag(name: .long, help: "Print one JSON object a finding.")
  var json = false

  func run() async throws {
    let notice = json ? WaitNotice.silent : .whenSlow("looking at gpsd, the daemon and the ports")
    let findings = Doctor.examine(await notice.during { await Self.look() })
    let text = findings.map { json ? Self.object($0) : Self.lines($0) + "\n" }.joined()
    try Output.write(Array(text.utf8))
    if findings.contains(where: { $0.severity == .bad }) { throw ExitCode(69) }
  }

  /// Looks at the system, and asks the daemon where it answers.
  private static func look() async -> DoctorSnapshot {
    let path = DaemonAccess.address.socketPath
    // Who does not answer is waited for, and the threads of the pool are as few as the cores.
    var snapshot = await BlockingThread.value { DoctorSnapshot.ofThisSystem(socketPath: path) }
    snapshot.board = .ofFiles()
    // The daemon's user may write elsewhere than whoever asks: so it is the daemon's word that counts.
    guard case .enforced? = snapshot.mode,
      let status = try? await DaemonAccess.clientIfFound?.status()
    else { return snapshot }
    snapshot.board.take(status)
    guard let overview = DaemonOverview(json: status.daemon) else { return snapshot }
    snapshot.stateFault = overview.stateFault
    // Which ports it reads is not for every user.
    if let source = overview.source, source.name != nil {
      snapshot.take(
        .init(
          names: source.members, fault: DaemonTrouble(overview)?.fault,
          files: overview.configuration?.files ?? []))
    }
    return snapshot
  }

  private static func lines(_ finding: DoctorFinding) -> String {
    let mark =
      switch finding.severity {
      case .good: "ok   "
      case .note: "note "
      case .bad: "BAD  "
      }
    let line = "\(mark) \(Text.padded(finding.subject, 16)) \(Text.visible(finding.text))"
    return finding.mend.map { "\(line)\n      \(Text.padded("", 16)) -> \(Text.visible($0))" }
      ?? line
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
