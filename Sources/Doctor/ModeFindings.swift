// SPDX-License-Identifier: Apache-2.0

internal import DaemonClient
internal import DaemonProtocol
internal import Positioning
internal import Receivers
internal import SystemSupport

extension DoctorSnapshot {
  /// How far what `fixcast auth` says binds the programs of this board.
  package enum Mode: Equatable, Sendable {
    /// A daemon answers: it tells each program what it may know, by the kernel's word on who asks.
    case enforced(socket: String)
    /// None does: each program decides for itself by the same policy.
    case cooperative(socket: String)
    /// There is a socket that tells this user nothing, so that nothing is known of the daemon; and
    /// a program of this user's does not do without.
    case barred(socket: String, reason: String)
  }
}

extension DoctorSnapshot {
  /// Whether a daemon answers, which then knows of its sources.
  var isEnforced: Bool { if case .enforced? = mode { true } else { false } }

  /// Asks at the socket, as a program of this user's would.
  static func mode(at socket: String) -> Mode {
    let client = DaemonClient(
      address: DaemonAddress(socketPath: socket), now: { MonotonicTime.now() })
    do throws(DaemonClientError) {
      _ = try client.statusNow()
      return .enforced(socket: socket)
    } catch {
      switch error {
      case .noDaemon: return .cooperative(socket: socket)
      // It has no place at present, or does not know this process: a daemon it is.
      case .refused, .notAuthorized, .rejected, .noFix: return .enforced(socket: socket)
      case .notPermitted, .unreadable, .disconnected, .silent:
        return .barred(socket: socket, reason: "\(error)")
      }
    }
  }
}

enum ModeFindings {
  /// Says which mode is in effect, and each way around it.
  ///
  /// Whoever may open a receiver, or ask a gpsd, learns where the board is from there, whatever has
  /// been decided.
  static func mode(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard let mode = snapshot.mode else { return [] }
    let faults = snapshot.stateFault.map { [DoctorFinding(.note, "state", $0)] } ?? []
    return [finding(of: mode)] + DaemonFindings.daemonSource(snapshot) + faults + hiding(snapshot)
      + leaks(snapshot)
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
    case .barred(let socket, let reason):
      DoctorFinding(
        .bad, "mode",
        "enforced, and this user is told nothing: \(reason)",
        mend: "ls -ld \(socket.prefix(upTo: socket.lastIndex(of: "/") ?? socket.startIndex)) "
          + "\(socket)   (then: sudo systemctl restart fixcast)")
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
