// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Says what would stop a fix, and the command that mends it.
///
/// A pure judgement of a snapshot: what is looked at and how is ``DoctorSnapshot``'s affair.
public enum Doctor {
  /// Judges a snapshot.
  ///
  /// - Parameter snapshot: What there is.
  /// - Returns: What there is to say, receivers first.
  public static func examine(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    devices(snapshot) + sources(snapshot) + [rules(snapshot)] + path(snapshot.path)
      + limits(snapshot)
  }

  private static func devices(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    snapshot.devices.flatMap { device -> [DoctorFinding] in
      let name = device.model.map { "\($0)" } ?? "unknown model"
      switch device.role {
      case .candidate:
        return [
          DoctorFinding(
            .note, device.devnode, "\(name): may have a receiver behind it; not opened unasked",
            mend: "fixcast locate \(device.consent)")
        ]
      case .modemPort:
        return [
          DoctorFinding(
            .note, device.devnode, "\(name): a modem's position port, silent until switched on",
            mend: "mmcli -m any --location-enable-gps-unmanaged")
        ]
      case .receiver: return receiver(device, name, snapshot)
      }
    }
  }

  private static func receiver(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> [DoctorFinding] {
    if device.isConfiguredForGPSD, device.holders.allSatisfy({ $0.hasPrefix("gpsd ") }) {
      return configured(device, name, snapshot)
    }
    if !device.isReadable {
      // To join root's group would give more away than a port.
      guard let group = device.group, group != "root" else {
        return [
          DoctorFinding(
            .bad, device.devnode, "\(name): this user may not read it, and no group may",
            mend: installRules)
        ]
      }
      return [
        DoctorFinding(
          .bad, device.devnode, "\(name): this user may not read it; group \(group) may",
          mend: "sudo usermod -aG \(group) \(snapshot.user)   (then log in again)")
      ]
    }
    guard let holder = device.holders.first else {
      return [DoctorFinding(.good, device.devnode, "\(name): a receiver, free to be read")]
    }
    if holder.hasPrefix("gpsd ") {
      return [
        DoctorFinding(
          .note, device.devnode, "\(name): held by \(holder); take its fixes from gpsd",
          mend: "fixcast locate --source gpsd")
      ]
    }
    return [
      DoctorFinding(
        .bad, device.devnode, "\(name): held by \(device.holders.joined(separator: ", "))",
        mend: "sudo fuser -v \(device.devnode)   (and stop that program)")
    ]
  }

  /// gpsd's by configuration: it is not fought for, and so gpsd must run.
  private static func configured(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> [DoctorFinding] {
    guard !snapshot.gpsdAnswers else {
      return [
        DoctorFinding(.good, device.devnode, "\(name): a receiver; its fixes come from gpsd")
      ]
    }
    return [
      DoctorFinding(
        .bad, device.devnode,
        "\(name): gpsd's by \(GPSDConfiguration.usualPath), and gpsd does not answer",
        mend: "\(GPSDConfiguration.startCommand)   (or without gpsd: fixcast locate "
          + "\(device.consent))")
    ]
  }

  private static func sources(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    if snapshot.gpsdAnswers {
      findings.append(DoctorFinding(.good, "gpsd", "answers on this host"))
    }
    if !snapshot.gpsdAnswers, !snapshot.devices.contains(where: { $0.role == .receiver }) {
      findings.append(
        DoctorFinding(
          .bad, "receivers", "none is plugged in that is known by its ids, and no gpsd answers",
          mend: snapshot.devices.isEmpty
            ? "fixcast demo   (needs no receiver)" : "fixcast devices"))
    }
    if let failure = snapshot.discoveryFailure {
      findings.append(
        DoctorFinding(
          .note, "udev", failure, mend: "fixcast locate --source serial:/dev/ttyACM0"))
    }
    return findings
  }

  private static func rules(_ snapshot: DoctorSnapshot) -> DoctorFinding {
    if let path = snapshot.rulesPath {
      return DoctorFinding(.good, "rules", "installed as \(path)")
    }
    return DoctorFinding(
      .note, "rules",
      "not installed: receivers have no /dev/fixcast name, and ModemManager may "
        + "probe them",
      mend: installRules)
  }

  /// What gives receivers their names and their group.
  private static let installRules =
    "sudo cp udev/*.rules /etc/udev/rules.d/ && sudo udevadm control --reload "
    + "&& sudo udevadm trigger"

  private static func limits(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.unseenProcessCount > 0 else { return [] }
    return [
      DoctorFinding(
        .note, "holders",
        "\(snapshot.unseenProcessCount) programs of other users may hold a port unseen",
        mend: "sudo fixcast doctor")
    ]
  }
}
