// SPDX-License-Identifier: Apache-2.0

internal import DaemonClient
internal import DaemonProtocol
internal import Positioning
internal import Receivers
internal import SystemSupport

extension DoctorSnapshot {
  /// How authorization decisions are enforced on this board.
  package enum Mode: Equatable, Sendable {
    /// A daemon is running, which identifies each client by kernel credentials and authorizes it.
    case enforced(socket: String)
    /// No daemon is running; each program applies the same policy itself.
    case cooperative(socket: String)
    /// A socket exists, but the daemon does not respond to this user. This user's programs get no
    /// locations.
    case inaccessible(socket: String, reason: String)
  }
}

extension DoctorSnapshot {
  /// Whether a daemon is running, which then opens the sources itself.
  var isEnforced: Bool { if case .enforced? = mode { true } else { false } }

  /// Connects to the socket as a program of this user would, and returns the mode.
  static func mode(at socket: String) -> Mode {
    let client = DaemonClient(
      address: DaemonAddress(socketPath: socket), now: { MonotonicTime.now() })
    do throws(DaemonClientError) {
      _ = try client.statusNow()
      return .enforced(socket: socket)
    } catch {
      switch error {
      case .noDaemon: return .cooperative(socket: socket)
      // The daemon is running, but is busy or has refused this process.
      case .refused, .notAuthorized, .rejected, .noFix: return .enforced(socket: socket)
      case .notPermitted, .unreadable, .disconnected, .silent:
        return .inaccessible(socket: socket, reason: "\(error)")
      }
    }
  }
}

enum ModeFindings {
  /// Returns the findings about the mode, and about ways to bypass authorization.
  ///
  /// A program that may open a receiver, or connect to a gpsd, gets the position without
  /// authorization.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard let mode = snapshot.mode else { return [] }
    let stateFindings = snapshot.stateFault.map { [DoctorFinding(.note, "state", $0)] } ?? []
    return [finding(of: mode, snapshot.serviceFailure)] + PermissionFindings.findings(snapshot)
      + DaemonFindings.sourceFindings(snapshot) + stateFindings
      + hidingFindings(snapshot) + leakFindings(snapshot)
  }

  private static func finding(
    of mode: DoctorSnapshot.Mode, _ serviceFailure: String?
  ) -> DoctorFinding {
    if case .cooperative = mode, let serviceFailure {
      return DoctorFinding(
        .bad, "service", "fixcast.service has failed (\(serviceFailure)), so no daemon is running",
        remedy: "sudo journalctl -u fixcast -n 20   (then: sudo systemctl restart fixcast)")
    }
    return switch mode {
    case .enforced(let socket):
      DoctorFinding(
        .good, "mode",
        "enforced: the daemon at \(socket) gives each program only what it is authorized for; "
          + "for its source see: fixcast status")
    case .cooperative(let socket):
      DoctorFinding(
        .note, "mode",
        "cooperative: no daemon is running at \(socket), so each program applies the policy itself",
        remedy: "sudo systemctl start fixcast   (or: sudo fixcast run)")
    case .inaccessible(let socket, let reason):
      DoctorFinding(
        .bad, "mode",
        "enforced, but this user gets no answer: \(reason)",
        remedy: "ls -ld \(socket.prefix(upTo: socket.lastIndex(of: "/") ?? socket.startIndex)) "
          + "\(socket)   (then: sudo systemctl restart fixcast)")
    }
  }

  /// Returns the finding for a daemon that cannot identify its clients and so sends no locations.
  private static func hidingFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard let hiding = snapshot.hiding else { return [] }
    return [
      DoctorFinding(
        .bad, "processes",
        "/proc is mounted with \(hiding.option), so the daemon cannot identify any client",
        remedy: "sudo mount -o remount,hidepid=0 /proc   (and in /etc/fstab, for the next boot)")
    ]
  }

  private static func leakFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    if snapshot.gpsd.isGPSD {
      findings.append(
        DoctorFinding(
          .note, "leak",
          "every program can get the position from gpsd on port \(snapshot.gpsdPort)",
          remedy: "\(GPSDFindings.disableCommand)   (the daemon then serves gpsd's clients, with "
            + "authorization)"))
    }
    for device in snapshot.devices where device.role == .receiver && device.isWorldReadable {
      findings.append(
        DoctorFinding(
          .note, "leak", "every program may read \(device.devnode)",
          remedy: "sudo chmod o-r \(device.devnode)   (and fix the udev rule that set its mode)"
        ))
    }
    for (group, members) in snapshot.members.sorted(by: { $0.key < $1.key }) where !members.isEmpty
    {
      findings.append(
        DoctorFinding(
          .note, "leak",
          "programs of \(members.joined(separator: ", ")) may read receivers by group \(group)",
          remedy: "sudo gpasswd -d \(members[0]) \(group)   (takes effect at the next login)"))
    }
    return findings
  }
}
