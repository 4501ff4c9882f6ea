// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// What the board's files and operators say that keeps everybody, or the daemon, from knowing where
  /// the board is.
  package struct Board: Equatable, Sendable {
    /// What is wrong with the configuration, a line each.
    package var configurationFaults: [String] = []
    /// What this user may not read of the configuration, so that nothing is known of it, a line each.
    package var unreadFiles: [String] = []
    /// Warnings about the configuration, one per line.
    package var configurationWarnings: [String] = []
    /// What is wrong with the rules, a line each.
    package var policyFaults: [String] = []
    /// The command that switches location on again; `nil` where it is on, or not known to be off.
    package var switchOn: String?
    /// What the daemon itself may know where that is nothing, such as `denied`; `nil` where it may, or
    /// has not told.
    package var daemonStatus: String?

    /// Makes a board of which nothing is to be said.
    package init() {}
  }
}

enum BoardFindings {
  /// Says what has been written or decided that stops fixes.
  static func board(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    let board = snapshot.board
    var findings = board.configurationFaults.map {
      DoctorFinding(
        .bad, "configuration", $0,
        mend: "sudo fixcast check-config   (and mend the file that it names)")
    }
    findings += board.configurationWarnings.map { DoctorFinding(.note, "configuration", $0) }
    findings += board.unreadFiles.map {
      DoctorFinding(.note, "configuration", $0, mend: "sudo fixcast doctor")
    }
    findings += board.policyFaults.map {
      DoctorFinding(
        .bad, "policy", "\($0); until it is mended nobody may know where the board is",
        mend: "sudo fixcast check-config   (and mend the file that it names)")
    }
    if let command = board.switchOn {
      findings.append(
        DoctorFinding(
          .bad, "switch", "location is switched off for the whole board", mend: command))
    }
    // Either of those is why.
    if let status = board.daemonStatus, board.policyFaults.isEmpty, board.switchOn == nil {
      findings.append(
        DoctorFinding(
          .bad, "daemon",
          "it may not know itself where the board is (\(status)): its sinks get nothing",
          mend:
            "sudo fixcast auth list   (then: sudo fixcast auth allow unit=fixcast.service --always)"
        ))
    }
    return findings
  }
}
