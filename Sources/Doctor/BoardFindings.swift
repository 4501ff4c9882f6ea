// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// The errors of the board's configuration and rules, and the decisions that deny access.
  package struct Board: Equatable, Sendable {
    /// The errors of the configuration, one per line.
    package var configurationFaults: [String] = []
    /// The configuration files that this user may not read, one per line; their content is not
    /// checked.
    package var unreadableFiles: [String] = []
    /// Warnings about the configuration, one per line.
    package var configurationWarnings: [String] = []
    /// The sources that the configuration names; empty if it names none.
    package var sources: [ConfiguredSource] = []
    /// The sockets of the configured sinks of type `chrony`.
    package var timeSockets: [TimeSocket] = []
    /// The errors of the authorization rules, one per line.
    package var policyFaults: [String] = []
    /// The command that switches location on again; `nil` if location is on or
    /// its state is unknown.
    package var switchOn: String?
    /// The daemon's own authorization status if it is denied access, such as `denied`; otherwise
    /// `nil`.
    package var daemonStatus: String?

    /// Creates a board without findings.
    package init() {}
  }
}

enum BoardFindings {
  /// Returns the findings about configuration, rules and decisions.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    let board = snapshot.board
    var findings = ConfiguredSourceFindings.findings(snapshot)
    findings += board.configurationFaults.map {
      DoctorFinding(
        .bad, "configuration", $0,
        remedy:
          "sudo fixcast check-config   (fix the file that it names, then: sudo systemctl reload fixcast)"
      )
    }
    findings += board.configurationWarnings.map { DoctorFinding(.note, "configuration", $0) }
    findings += board.unreadableFiles.map {
      DoctorFinding(.note, "configuration", $0, remedy: "sudo fixcast doctor")
    }
    findings += board.policyFaults.map {
      DoctorFinding(
        .bad, "policy", "\($0); all access to locations is denied until this is fixed",
        remedy: "sudo fixcast check-config   (and fix the file that it names)")
    }
    if let command = board.switchOn {
      findings.append(
        DoctorFinding(
          .bad, "switch", "location is switched off for the whole board", remedy: command))
    }
    // Invalid rules or the switch already explain why the daemon is not authorized.
    if let status = board.daemonStatus, board.policyFaults.isEmpty, board.switchOn == nil {
      findings.append(
        DoctorFinding(
          .bad, "daemon",
          "the daemon itself is not authorized (\(status)), so its sinks get no locations",
          remedy:
            "sudo fixcast auth list   (then: sudo fixcast auth allow unit=fixcast.service --always)"
        ))
    }
    return findings
  }
}
