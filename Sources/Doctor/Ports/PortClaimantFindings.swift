// SPDX-License-Identifier: Apache-2.0

enum PortClaimantFindings {
  /// Returns the findings about brltty and ModemManager.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    brlttyFindings(snapshot.portClaimants) + modemManagerFindings(snapshot)
  }

  /// The command that removes brltty, which only users of a Braille display need.
  private static let removeBrltty =
    "sudo apt remove brltty   (if there is no Braille display; then plug the receiver in again)"

  private static func brlttyFindings(
    _ claimants: DoctorSnapshot.PortClaimants
  ) -> [DoctorFinding] {
    if claimants.brlttyIsRunning, !claimants.convertersWithoutPort.isEmpty {
      let converters = claimants.convertersWithoutPort.joined(separator: ", ")
      return [
        DoctorFinding(
          .bad, "brltty",
          "brltty takes the USB serial converter \(converters) for a Braille display, so it has no "
            + "serial port", remedy: removeBrltty)
      ]
    }
    if let rules = claimants.brlttyRules {
      return [
        DoctorFinding(
          .note, "brltty",
          "\(rules.path) gives \(rules.chips.joined(separator: ", ")) converters, which many receivers "
            + "have, to brltty, the program for Braille displays", remedy: removeBrltty)
      ]
    }
    guard claimants.brlttyIsRunning else { return [] }
    return [
      DoctorFinding(
        .note, "brltty", "brltty is running and may take the serial port of a receiver",
        remedy: removeBrltty)
    ]
  }

  /// Returns the finding about ports to which ModemManager may send commands.
  ///
  /// Fixcast's rules keep ModemManager off known receivers, but not off candidates, which may be
  /// modems. Commands disturb some receivers.
  private static func modemManagerFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.portClaimants.modemManagerIsRunning else { return [] }
    let isReceiverRuleInstalled = snapshot.rules.contains { rule in
      if case .installed = rule.state { rule.name == DoctorSnapshot.ruleNames.first } else { false }
    }
    let ports = snapshot.devices.filter {
      !$0.isIgnoredByModemManager
        && ($0.role == .candidate || $0.role == .receiver && !isReceiverRuleInstalled)
    }
    guard !ports.isEmpty else { return [] }
    let names = ports.map(\.devnode).joined(separator: ", ")
    return [
      DoctorFinding(
        .note, "ModemManager", "ModemManager is running and may send commands to \(names)",
        remedy: isReceiverRuleInstalled
          ? ignoreCandidates : RuleFindings.installRules(snapshot))
    ]
  }

  /// The command that keeps ModemManager off candidates, with a rule that sorts after Fixcast's.
  private static let ignoreCandidates =
    #"echo 'ENV{ID_FIXCAST}=="candidate", ENV{ID_MM_DEVICE_IGNORE}="1"' | "#
    + "sudo tee /etc/udev/rules.d/62-no-modem.rules && sudo udevadm control --reload "
    + "&& sudo udevadm trigger --subsystem-match=tty && sudo systemctl restart ModemManager"
    + "   (unless one is a modem)"
}
