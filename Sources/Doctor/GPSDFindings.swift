// SPDX-License-Identifier: Apache-2.0

internal import Receivers

enum GPSDFindings {
  /// The command that frees gpsd's port: Debian's gpsd.socket holds it even if gpsd is not running.
  static let disableCommand = "sudo systemctl disable --now gpsd.socket gpsd"

  /// Returns the finding about gpsd's port.
  static func portFinding(_ snapshot: DoctorSnapshot) -> DoctorFinding {
    let port = snapshot.gpsdPort
    switch snapshot.gpsd {
    case .gpsd(let release, let devices):
      let version = release.isEmpty ? "gpsd of an unknown version" : "gpsd \(release)"
      let receivers =
        switch devices {
        case nil: ""
        case []?: " and has no receiver"
        case let devices?: " and has \(devices.joined(separator: ", "))"
        }
      return DoctorFinding(.good, "gpsd", "\(version) runs on port \(port)\(receivers)")
    case .other(.isFixcast):
      return DoctorFinding(
        .good, "gpsd", "the daemon serves gpsd's clients on port \(port), with authorization")
    case .other(let behavior):
      // systemd listens for gpsd.socket, also if gpsd itself cannot start.
      return DoctorFinding(
        .note, "gpsd", "the program on port \(port) \(behavior)",
        remedy: "sudo ss -ltnp 'sport = :\(port)'   (shows the program; if it is systemd: "
          + "\(disableCommand))")
    case .absent:
      let isNeeded = snapshot.devices.contains(where: \.isConfiguredForGPSD)
      return DoctorFinding(
        .good, "gpsd",
        "nothing listens on port \(port)"
          + (isNeeded ? "" : ": receivers are read without gpsd"))
    }
  }

  /// Returns the finding for a device that gpsd lists or that gpsd's configuration names.
  static func deviceFinding(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding {
    if device.isListedByGPSD {
      return DoctorFinding(
        .good, device.devnode, "\(name): in use by gpsd; its fixes come from gpsd")
    }
    // Fixcast does not open such a device itself, so a running gpsd has to read it.
    let claim = "\(name): configured for gpsd in \(GPSDConfiguration.usualPath)"
    let withoutGPSD = "   (or without gpsd: fixcast locate \(device.consent))"
    guard snapshot.gpsd.isGPSD else {
      return DoctorFinding(
        .bad, device.devnode, "\(claim), but gpsd is not running",
        remedy: "\(GPSDConfiguration.startCommand)\(withoutGPSD)")
    }
    guard snapshot.gpsd.listsAll else {
      return DoctorFinding(.good, device.devnode, "\(claim); its fixes come from gpsd")
    }
    return DoctorFinding(
      .bad, device.devnode, "\(claim), but gpsd is running without it",
      remedy: "sudo gpsdctl add \(device.devnode)\(withoutGPSD)")
  }
}
