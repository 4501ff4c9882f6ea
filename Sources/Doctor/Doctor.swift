// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Receivers

/// Finds problems that prevent a fix, and the command that solves each.
///
/// All functions are pure; ``DoctorSnapshot`` makes the system calls.
package enum Doctor {
  /// Returns the findings for a snapshot.
  package static func examine(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    deviceFindings(snapshot) + BoardPortFindings.findings(snapshot) + sourceFindings(snapshot)
      + ReceivedFindings.findings(snapshot) + ReceiverMessageFindings.findings(snapshot)
      + RuleFindings.findings(snapshot)
      + PortClaimantFindings.findings(snapshot)
      + PathFindings.findings(snapshot.path) + LookupFindings.findings(snapshot.failedLookup)
      + clockFindings(snapshot)
      + ChronyFindings.findings(snapshot.board.timeSockets)
      + BoardFindings.findings(snapshot)
      + ModeFindings.findings(snapshot) + OutageFindings.findings(snapshot)
      + hiddenProcessFindings(snapshot)
  }

  private static func deviceFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    snapshot.devices.flatMap { device -> [DoctorFinding] in
      let name = device.model ?? "unknown model"
      // If a program other than gpsd holds the device, gpsd cannot read the device.
      if device.isListedByGPSD || (device.role == .receiver && device.isConfiguredForGPSD),
        device.holders.allSatisfy({ $0.hasPrefix("gpsd ") })
      {
        return [GPSDFindings.deviceFinding(device, name, snapshot)]
      }
      if let finding = DaemonFindings.deviceFinding(device, name, snapshot) { return [finding] }
      switch device.role {
      case .candidate:
        return [
          DoctorFinding(
            .note, device.devnode,
            "\(name): may have a receiver behind it; opened only if you name it",
            remedy: "fixcast locate \(device.consent)")
        ]
      case .modemPort:
        return [
          DoctorFinding(
            .note, device.devnode, "\(name): position port of a modem, silent until enabled",
            remedy: "mmcli -m any --location-enable-gps-unmanaged")
        ]
      case .receiver: return receiverFindings(device, name, snapshot)
      }
    }
  }

  private static func receiverFindings(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> [DoctorFinding] {
    if !device.isReadable {
      // Membership in group root would grant far more than access to the port.
      guard let group = device.group, group != "root" else {
        return [
          DoctorFinding(
            .bad, device.devnode, "\(name): this user may not read it, and no group may",
            remedy: RuleFindings.installRules(snapshot))
        ]
      }
      return [
        DoctorFinding(
          .bad, device.devnode, "\(name): this user may not read it; group \(group) may",
          remedy: "sudo usermod -aG \(group) \(snapshot.user)   (then log in again)")
      ]
    }
    guard let holder = device.holders.first else {
      return [DoctorFinding(.good, device.devnode, "\(name): GPS receiver, available")]
    }
    if holder.hasPrefix("gpsd ") {
      return [
        DoctorFinding(
          .note, device.devnode, "\(name): in use by \(holder); get its fixes from gpsd",
          remedy: "fixcast locate --source gpsd")
      ]
    }
    return [
      DoctorFinding(
        .bad, device.devnode, "\(name): in use by \(device.holders.joined(separator: ", "))",
        remedy: remedy(against: holder, of: device.devnode))
    ]
  }

  /// Returns the command that ends the use of a port by a program.
  static func remedy(against holder: String, of devnode: String) -> String {
    ["ModemManager", "brltty"].first { holder.hasPrefix("\($0) ") }
      .map { "sudo systemctl disable --now \($0)" }
      ?? "sudo fuser -v \(devnode)   (and stop that program)"
  }

  private static func sourceFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings = [GPSDFindings.portFinding(snapshot)]
    if !snapshot.devices.contains(where: { $0.role == .receiver }), !mayHaveReceiver(snapshot.gpsd),
      !snapshot.isEnforced, snapshot.board.sources.isEmpty
    {
      let server = snapshot.gpsd.isGPSD ? "gpsd has none" : "gpsd is not running"
      findings.append(
        DoctorFinding(
          .bad, "receivers", "no known receiver is connected, and \(server)",
          remedy: snapshot.devices.isEmpty
            ? "fixcast demo   (needs no receiver)" : "fixcast devices"))
    }
    if let failure = snapshot.discoveryFailure {
      findings.append(
        DoctorFinding(
          .note, "udev", failure, remedy: "fixcast locate --source serial:/dev/ttyACM0"))
    }
    return findings
  }

  /// Whether gpsd lists a receiver, or may have one because gpsd does not report its devices.
  private static func mayHaveReceiver(_ gpsd: GPSDPresence) -> Bool {
    guard case .gpsd(_, let devices) = gpsd else { return false }
    return devices?.isEmpty != true
  }

  private static func clockFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    snapshot.clockError.map { error in
      // Weather providers are reached by TLS, and certificates have dates.
      [
        DoctorFinding(
          error.breaksTLS ? .bad : .note, "clock", error.facts, remedy: error.command)
      ]
    } ?? []
  }

  private static func hiddenProcessFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.unreadableProcessCount > 0 else { return [] }
    return [
      DoctorFinding(
        .note, "holders",
        "\(snapshot.unreadableProcessCount) processes of other users are not visible and may hold a "
          + "port",
        remedy: "sudo fixcast doctor")
    ]
  }
}
