// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

extension DoctorSnapshot {
  /// A serial port of the board itself, such as the UART on the pins of a Raspberry Pi.
  package struct BoardPort: Equatable, Sendable {
    /// The device node to name in the configuration, such as `/dev/serial0`.
    package var devnode: String
    /// The name of the device, such as `ttyAMA0`.
    package var name: String
    /// The argument of the kernel command line that puts a console on the port; `nil` if none does.
    package var consoleArgument: String?
    /// The systemd unit that offers a login on the port; `nil` if none is active or starts at boot.
    package var loginUnit: String?

    /// Creates a port without a console.
    package init(devnode: String, name: String) {
      self.devnode = devnode
      self.name = name
    }
  }

  /// The means to switch off a serial console on this board.
  package struct ConsoleTools: Equatable, Sendable {
    /// Whether raspi-config is installed.
    package var hasRaspiConfig = false
    /// The file with the kernel command line; `nil` if none is found.
    package var commandLineFile: String?

    package init() {}
  }
}

/// Finds the serial ports of the board and the consoles on them.
///
/// `root` precedes all paths.
struct BoardPortFinder {
  /// The devices with a receiver on the pins: PL011 and mini UART of a Raspberry Pi, and other UARTs.
  ///
  /// `ttyAMA10` is the debug connector of a Raspberry Pi 5.
  private static let names =
    ((0...5).map { "ttyAMA\($0)" } + ["ttyAMA10"]) + (0...3).map { "ttyS\($0)" }
  /// The folders that contain a link or a cgroup for each login on a serial port.
  private static let loginFolders = [
    "/sys/fs/cgroup/system.slice/system-serial\\x2dgetty.slice",
    "/sys/fs/cgroup/systemd/system.slice/system-serial\\x2dgetty.slice",
    "/run/systemd/generator/getty.target.wants", "/etc/systemd/system/getty.target.wants",
  ]
  private static let commandLineFiles = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"]

  let root: String

  /// The ports, by their stable names where these exist.
  var ports: [DoctorSnapshot.BoardPort] {
    let pins = target(of: "/dev/serial0")
    // serial1 is the Bluetooth modem of a Raspberry Pi.
    let modem = target(of: "/dev/serial1")
    let arguments = (BoundedFile.text(root + "/proc/cmdline") ?? "")
      .split { $0 == " " || $0 == "\n" }.map(String.init).filter { $0.hasPrefix("console=") }
    // The kernel uses one console of each driver, whatever its command line names. An image that is
    // mounted has no such file.
    let active = BoundedFile.text(root + "/sys/class/tty/console/active")?
      .split { $0 == " " || $0 == "\n" }.map(String.init)
    return Self.names.filter { $0 != modem && isPresent($0, isNamed: $0 == pins) }.map { name in
      var port = DoctorSnapshot.BoardPort(
        devnode: name == pins ? "/dev/serial0" : "/dev/\(name)", name: name)
      let consoles = [name] + (name == pins ? ["serial0"] : [])
      if active?.contains(name) ?? true {
        port.consoleArgument = arguments.first { argument in
          let device = argument.dropFirst("console=".count).prefix { $0 != "," }
          return consoles.contains(String(device))
        }
      }
      let unit = "serial-getty@\(name).service"
      if Self.loginFolders.contains(where: { exists("\($0)/\(unit)") }) { port.loginUnit = unit }
      return port
    }
  }

  var tools: DoctorSnapshot.ConsoleTools {
    var tools = DoctorSnapshot.ConsoleTools()
    tools.hasRaspiConfig = exists("/usr/bin/raspi-config")
    tools.commandLineFile = Self.commandLineFiles.first(where: exists)
    return tools
  }

  /// Whether the device exists and has hardware: Linux makes a fixed number of `ttyS` devices.
  private func isPresent(_ name: String, isNamed: Bool) -> Bool {
    guard exists("/dev/\(name)") else { return false }
    guard name.hasPrefix("ttyS"), !isNamed else { return true }
    let type = BoundedFile.text("\(root)/sys/class/tty/\(name)/type")?.prefix { $0 != "\n" }
    return type.map { $0 != "0" } ?? false
  }

  private func exists(_ path: String) -> Bool {
    var status = stat()
    // A link in the folders of systemd may lead nowhere in a mounted image.
    return lstat(root + path, &status) == 0
  }

  /// Returns the last component of a link's target, such as `ttyAMA0`.
  private func target(of path: String) -> String? {
    SymbolicLink.target(of: root + path)?.split(separator: "/").last.map(String.init)
  }
}
