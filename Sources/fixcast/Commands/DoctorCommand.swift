// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import Doctor
import FixcastConfiguration
import LocationServices
import Plugins
import Positioning
import SystemSupport

/// `fixcast doctor`: reports problems that prevent a fix, and the command that solves each.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report problems that prevent a fix or a lookup, with the command that solves each.",
    discussion: """
      Checks the connected devices, the programs that hold them and their permissions, gpsd, the \
      udev rules, the network path, the configuration, the authorization rules, your permission and \
      the service. Opens no receiver, sends nothing to the network and changes nothing. Exits 69 if \
      a problem prevents fixes, if you are not authorized, or if the service, a sink or a server of \
      the daemon does not work.

      Examples:
        sudo fixcast doctor
      """)

  @Flag(name: .long, help: "Print one JSON object per finding.")
  var json = false

  func run() async throws {
    let notice = json ? WaitNotice.silent : .whenSlow("checking gpsd, the daemon and the ports")
    let findings = Doctor.examine(await notice.during { await Self.takeSnapshot() })
    let text = findings.map { json ? Self.object($0) : Self.lines($0) + "\n" }.joined()
    try Output.write(Array(text.utf8))
    if findings.contains(where: { $0.severity == .bad }) { throw ExitCode(69) }
  }

  /// Examines the system, and includes the daemon's status if a daemon is running.
  private static func takeSnapshot() async -> DoctorSnapshot {
    let path = DaemonAccess.address.socketPath
    let root = DaemonLocator.variable("FIXCAST_ROOT") ?? ""
    // Blocks until gpsd and the daemon respond; Swift's pool has only one thread per core.
    var snapshot = await BlockingThread.value {
      DoctorSnapshot.ofThisSystem(root: root, socketPath: path)
    }
    snapshot.board = .ofFiles()
    // The daemon runs as another user with other permissions, so the daemon's status overrides the
    // findings of this process.
    if case .cooperative? = snapshot.mode {
      snapshot.serviceFailure = await ServiceUnit.installed()?.failure
    }
    guard case .enforced? = snapshot.mode,
      let status = try? await DaemonAccess.clientIfFound?.status()
    else { return snapshot }
    snapshot.board.update(with: status)
    snapshot.permission = DoctorSnapshot.Permission(status, at: AuthPathOptions.rulePaths)
    guard let overview = DaemonOverview(json: status.daemon) else { return snapshot }
    snapshot.stateFault = overview.stateFault
    snapshot.outages = overview.outages
    snapshot.clockError = overview.clock?.error ?? snapshot.clockError
    snapshot.failedLookup = overview.weather?.failedLookup
    // Only authorized users get the daemon's ports.
    if let source = overview.source, source.name != nil {
      let trouble = DaemonTrouble(overview)
      snapshot.daemonSource = DoctorSnapshot.DaemonSource(
        names: source.members, fault: trouble?.fault, advice: trouble?.advice,
        noFix: source.noFix?.explanation, files: overview.configuration?.files ?? []
      ).named(by: snapshot.devices)
      snapshot.daemonSource.fixAge = source.fixAgeSeconds.map(StatusText.duration)
      snapshot.daemonSource.received = source.received
      snapshot.daemonSource.isZeroPosition = source.zeroPosition ?? false
      snapshot.daemonSource.messages = (source.messages ?? []).filter(\.isCurrent)
        .compactMap(\.message)
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
    return finding.remedy.map { "\(line)\n      \(Text.padded("", 16)) -> \(Text.visible($0))" }
      ?? line
  }

  private static func object(_ finding: DoctorFinding) -> String {
    var line = JSONLine()
    line.beginObject()
    line.string("class", "FINDING")
    line.string("severity", finding.severity.rawValue)
    line.string("subject", finding.subject)
    line.string("message", finding.text)
    line.string("mend", finding.remedy)
    line.endObject()
    line.endLine()
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
