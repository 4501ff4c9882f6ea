// SPDX-License-Identifier: Apache-2.0

enum BoardPortFindings {
  /// Returns the findings about serial ports of the board, and about consoles on them.
  ///
  /// A console on a port is only a problem if a receiver is connected to the port, which is certain
  /// only if the configuration names the port.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    let hasReceiver = snapshot.devices.contains { $0.role == .receiver }
    let configured = snapshot.daemonSource.names + snapshot.board.sources.map(\.devnode)
    return snapshot.boardPorts.flatMap { port -> [DoctorFinding] in
      let isConfigured = configured.contains {
        [port.devnode, "/dev/\(port.name)"].contains($0)
      }
      // With a known receiver, an unused port needs no attention.
      guard isConfigured || !hasReceiver else { return [] }
      let console = consoleFinding(port, isConfigured: isConfigured, snapshot.consoleTools)
      if isConfigured { return [console].compactMap { $0 } }
      return [console, portFinding(port, snapshot)].compactMap { $0 }
    }
  }

  private static func portFinding(
    _ port: DoctorSnapshot.BoardPort, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding {
    DoctorFinding(
      .note, port.devnode,
      "serial port of the board; may have a receiver behind it, such as a HAT; read only if named",
      remedy: snapshot.isEnforced
        ? DaemonFindings.command(adding: port.devnode, to: snapshot.daemonSource.file)
        : "fixcast locate --source serial:\(port.devnode)")
  }

  private static func consoleFinding(
    _ port: DoctorSnapshot.BoardPort, isConfigured: Bool, _ tools: DoctorSnapshot.ConsoleTools
  ) -> DoctorFinding? {
    let users = [
      port.consoleArgument.map { "the kernel's console (\($0))" },
      port.loginUnit.map { "a login (\($0))" },
    ].compactMap { $0 }
    guard !users.isEmpty else { return nil }
    return DoctorFinding(
      isConfigured ? .bad : .note, port.devnode,
      "used by \(users.joined(separator: " and ")), so a receiver on it cannot be read",
      remedy: remedy(port, tools))
  }

  private static func remedy(
    _ port: DoctorSnapshot.BoardPort, _ tools: DoctorSnapshot.ConsoleTools
  ) -> String {
    if tools.hasRaspiConfig {
      return "sudo raspi-config   (Interface Options, Serial Port: no login shell, but serial "
        + "hardware enabled; then: sudo reboot)"
    }
    let unit = port.loginUnit.map { "sudo systemctl disable --now \($0)" }
    guard let argument = port.consoleArgument else {
      // The login has made the port its own. The udev rules give a port that is added to its group.
      return unit.map {
        "\($0) && sudo udevadm trigger --action=add --name-match=/dev/\(port.name)"
      } ?? ""
    }
    let file =
      tools.commandLineFile
      ?? "the kernel command line, such as GRUB_CMDLINE_LINUX in /etc/default/grub"
    guard let unit else { return "sudo reboot   (after removing \(argument) from \(file))" }
    return "\(unit)   (and remove \(argument) from \(file), then: sudo reboot)"
  }
}
