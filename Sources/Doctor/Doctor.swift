// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Says what would stop a fix, and the command that mends it.
///
/// A pure judgement of a snapshot: what is looked at and how is ``DoctorSnapshot``'s affair.
package enum Doctor {
  /// Judges a snapshot.
  package static func examine(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    devices(snapshot) + sources(snapshot) + RuleFindings.rules(snapshot)
      + PathFindings.path(snapshot.path)
      + BoardFindings.board(snapshot) + ModeFindings.mode(snapshot) + limits(snapshot)
  }

  private static func devices(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    snapshot.devices.flatMap { device -> [DoctorFinding] in
      let name = device.model ?? "unknown model"
      // Whoever else holds it is in gpsd's way too.
      if device.isListedByGPSD || (device.role == .receiver && device.isConfiguredForGPSD),
        device.holders.allSatisfy({ $0.hasPrefix("gpsd ") })
      {
        return [GPSDFindings.leftToGPSD(device, name, snapshot)]
      }
      if let finding = DaemonFindings.daemons(device, name, snapshot) { return [finding] }
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
    if !device.isReadable {
      // To join root's group would give more away than a port.
      guard let group = device.group, group != "root" else {
        return [
          DoctorFinding(
            .bad, device.devnode, "\(name): this user may not read it, and no group may",
            mend: RuleFindings.installRules(snapshot))
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

  private static func sources(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings = [GPSDFindings.gpsd(snapshot)]
    if !snapshot.devices.contains(where: { $0.role == .receiver }), !mayHaveReceiver(snapshot.gpsd),
      !snapshot.isEnforced
    {
      let server = snapshot.gpsd.isGPSD ? "gpsd has none" : "no gpsd answers"
      findings.append(
        DoctorFinding(
          .bad, "receivers", "none is plugged in that is known by its ids, and \(server)",
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

  /// Whether fixes may come from gpsd, as far as it has told.
  private static func mayHaveReceiver(_ gpsd: GPSDPresence) -> Bool {
    guard case .gpsd(_, let devices) = gpsd else { return false }
    return devices?.isEmpty != true
  }

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
