// SPDX-License-Identifier: Apache-2.0

internal import Receivers

extension DoctorSnapshot {
  /// How far what `fixcast auth` says binds the programs of this board.
  public enum Mode: Equatable, Sendable {
    /// A daemon answers: it tells each program what it may know, by the kernel's word on who asks.
    case enforced(socket: String)
    /// None does: each program decides for itself by the same policy.
    case cooperative(socket: String)
  }
}

extension DoctorSnapshot {
  /// Whether a daemon answers, which then knows of its sources.
  var isEnforced: Bool { if case .enforced? = mode { true } else { false } }
}

extension Doctor {
  /// Says which mode is in effect, and each way around it.
  ///
  /// Whoever may open a receiver, or ask a gpsd, learns where the board is from there, whatever has
  /// been decided.
  static func mode(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard let mode = snapshot.mode else { return [] }
    let faults = snapshot.stateFault.map { [DoctorFinding(.note, "state", $0)] } ?? []
    return [finding(of: mode)] + faults + hiding(snapshot) + leaks(snapshot)
  }

  private static func finding(of mode: DoctorSnapshot.Mode) -> DoctorFinding {
    switch mode {
    case .enforced(let socket):
      DoctorFinding(
        .good, "mode",
        "enforced: the daemon at \(socket) tells each program what it may know; "
          + "fixcast status says how its source stands")
    case .cooperative(let socket):
      DoctorFinding(
        .note, "mode",
        "cooperative: no daemon answers at \(socket), so each program decides for itself",
        mend: "sudo systemctl start fixcast   (or: sudo fixcast run)")
    }
  }

  /// A daemon that cannot see who asks tells nobody anything.
  private static func hiding(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard let hiding = snapshot.hiding else { return [] }
    return [
      DoctorFinding(
        .bad, "processes",
        "/proc is mounted with \(hiding.option): the daemon cannot see who asks, and answers nobody",
        mend: "sudo mount -o remount,hidepid=0 /proc   (and in /etc/fstab, for the next boot)")
    ]
  }

  private static func leaks(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    if snapshot.gpsd.isGPSD {
      findings.append(
        DoctorFinding(
          .note, "leak", "every program may ask gpsd on port \(snapshot.gpsdPort) where this is",
          mend: "sudo systemctl disable --now gpsd.socket gpsd   (where nothing else needs it)"))
    }
    for device in snapshot.devices where device.role == .receiver && device.isWorldReadable {
      findings.append(
        DoctorFinding(
          .note, "leak", "every program may read \(device.devnode)",
          mend: "sudo chmod o-r \(device.devnode)   (and mend the rule of udev that opened it)"))
    }
    for (group, members) in snapshot.members.sorted(by: { $0.key < $1.key }) where !members.isEmpty
    {
      findings.append(
        DoctorFinding(
          .note, "leak",
          "programs of \(members.joined(separator: ", ")) may read receivers by group \(group)",
          mend: "sudo gpasswd -d \(members[0]) \(group)   (counts from the next login)"))
    }
    return findings
  }
}
