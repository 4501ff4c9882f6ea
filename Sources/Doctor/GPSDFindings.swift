// SPDX-License-Identifier: Apache-2.0

internal import Receivers

enum GPSDFindings {
  /// Judges what is on gpsd's port.
  static func gpsd(_ snapshot: DoctorSnapshot) -> DoctorFinding {
    let port = snapshot.gpsdPort
    switch snapshot.gpsd {
    case .gpsd(let release, let devices):
      let version = release.isEmpty ? "gpsd of an unknown version" : "gpsd \(release)"
      let has =
        switch devices {
        case nil: ""
        case []?: " and has no receiver"
        case let devices?: " and has \(devices.joined(separator: ", "))"
        }
      return DoctorFinding(.good, "gpsd", "\(version) answers on port \(port)\(has)")
    case .other(let behavior):
      return DoctorFinding(
        .note, "gpsd", "what listens on port \(port) \(behavior)",
        mend: "sudo ss -ltnp 'sport = :\(port)'   (shows the program)")
    case .absent:
      let isNeeded = snapshot.devices.contains(where: \.isConfiguredForGPSD)
      return DoctorFinding(
        .good, "gpsd",
        "nothing listens on port \(port)"
          + (isNeeded ? "" : ": receivers are read without gpsd"))
    }
  }

  /// What is left to gpsd, which has it or is to have it.
  static func leftToGPSD(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding {
    if device.isListedByGPSD {
      return DoctorFinding(
        .good, device.devnode, "\(name): gpsd has it, and its fixes come from gpsd")
    }
    // It is not fought for, and so gpsd must run, and have it.
    let claim = "\(name): gpsd's by \(GPSDConfiguration.usualPath)"
    let withoutGPSD = "   (or without gpsd: fixcast locate \(device.consent))"
    guard snapshot.gpsd.isGPSD else {
      return DoctorFinding(
        .bad, device.devnode, "\(claim), and gpsd does not answer",
        mend: "\(GPSDConfiguration.startCommand)\(withoutGPSD)")
    }
    guard snapshot.gpsd.listsAll else {
      return DoctorFinding(.good, device.devnode, "\(claim); its fixes come from gpsd")
    }
    return DoctorFinding(
      .bad, device.devnode, "\(claim), and the gpsd that answers does not have it",
      mend: "sudo gpsdctl add \(device.devnode)\(withoutGPSD)")
  }
}
