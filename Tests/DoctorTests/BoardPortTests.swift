// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Doctor

/// Serial ports of the board, and consoles on them.
@Suite("Doctor findings about the serial ports of the board")
struct BoardPortTests {
  /// A root folder with the files of a board.
  private final class Board {
    let root = NSTemporaryDirectory() + "fixcast-board-\(UUID().uuidString)"

    init(_ files: [String: String] = [:], links: [String: String] = [:]) throws {
      for (path, text) in files {
        try makeFolder(of: path)
        try text.write(toFile: root + path, atomically: false, encoding: .utf8)
      }
      for (path, target) in links {
        try makeFolder(of: path)
        try FileManager.default.createSymbolicLink(
          atPath: root + path, withDestinationPath: target)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func makeFolder(of path: String) throws {
      let folder = (root + path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }

    var snapshot: DoctorSnapshot {
      var snapshot = DoctorSnapshot()
      let finder = BoardPortFinder(root: root)
      (snapshot.boardPorts, snapshot.consoleTools) = (finder.ports, finder.tools)
      return snapshot
    }
  }

  private static let getty =
    "/sys/fs/cgroup/system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyAMA0.service/x"

  @Test func `on a Raspberry Pi with a serial console, doctor names the console and raspi-config`() throws {
    let board = try Board(
      [
        "/proc/cmdline": "coherent_pool=1M console=ttyAMA0,115200 console=tty1 root=PARTUUID=1\n",
        "/dev/ttyAMA0": "", "/dev/ttyS0": "", "/usr/bin/raspi-config": "", Self.getty: "",
        "/boot/firmware/cmdline.txt": "",
      ], links: ["/dev/serial0": "ttyAMA0", "/dev/serial1": "ttyS0"])
    var snapshot = board.snapshot
    let findings = BoardPortFindings.findings(snapshot)
    #expect(findings.map(\.severity) == [.note, .note])
    #expect(findings.allSatisfy { $0.subject == "/dev/serial0" })
    #expect(
      findings.first?.text
        == "used by the kernel's console (console=ttyAMA0,115200) and a login "
        + "(serial-getty@ttyAMA0.service), so a receiver on it cannot be read")
    #expect(findings.first?.remedy?.hasPrefix("sudo raspi-config ") == true)
    #expect(findings.last?.remedy == "fixcast locate --source serial:/dev/serial0")
    // The configured port is certainly that of the receiver.
    snapshot.daemonSource.names = ["/dev/ttyAMA0"]
    let configured = BoardPortFindings.findings(snapshot)
    #expect(configured.map(\.severity) == [.bad])
    // Without the daemon, the configuration files name the port.
    snapshot.daemonSource.names = []
    snapshot.board.sources = [.init(name: "serial:/dev/serial0", device: .available)]
    #expect(BoardPortFindings.findings(snapshot).map(\.severity) == [.bad])
  }

  @Test func `on a Raspberry Pi 5, serial0 may be the port of the debug connector`() throws {
    let board = try Board(["/dev/ttyAMA10": ""], links: ["/dev/serial0": "ttyAMA10"])
    #expect(board.snapshot.boardPorts.map(\.devnode) == ["/dev/serial0"])
  }

  @Test func `without raspi-config, doctor names the unit to disable and the argument to remove`() throws {
    let board = try Board([
      "/proc/cmdline": "console=ttyS1,9600n8", "/dev/ttyS0": "", "/dev/ttyS1": "",
      "/sys/class/tty/ttyS0/type": "0\n", "/sys/class/tty/ttyS1/type": "4\n",
    ])
    var snapshot = board.snapshot
    #expect(snapshot.boardPorts.map(\.devnode) == ["/dev/ttyS1"])
    #expect(
      BoardPortFindings.findings(snapshot).first?.remedy
        == "sudo reboot   (after removing console=ttyS1,9600n8 from the kernel command line, such "
        + "as GRUB_CMDLINE_LINUX in /etc/default/grub)")
    snapshot.boardPorts[0].loginUnit = "serial-getty@ttyS1.service"
    snapshot.consoleTools.commandLineFile = "/boot/cmdline.txt"
    #expect(
      BoardPortFindings.findings(snapshot).first?.remedy
        == "sudo systemctl disable --now serial-getty@ttyS1.service   (and remove "
        + "console=ttyS1,9600n8 from /boot/cmdline.txt, then: sudo reboot)")
    snapshot.boardPorts[0].consoleArgument = nil
    #expect(
      BoardPortFindings.findings(snapshot).first?.remedy
        == "sudo systemctl disable --now serial-getty@ttyS1.service && sudo udevadm trigger "
        + "--action=add --name-match=/dev/ttyS1")
  }

  @Test func `a console that the kernel does not use is no console`() throws {
    let board = try Board([
      "/proc/cmdline": "console=ttyS0 console=ttyS1,9600n8",
      "/sys/class/tty/console/active": "ttyS0\n", "/dev/ttyS0": "", "/dev/ttyS1": "",
      "/sys/class/tty/ttyS0/type": "4\n", "/sys/class/tty/ttyS1/type": "4\n",
    ])
    #expect(board.snapshot.boardPorts.map(\.consoleArgument) == ["console=ttyS0", nil])
  }

  @Test func `a port of the board is not mentioned if it is absent, or if a receiver is plugged in`() throws {
    #expect(try Board().snapshot.boardPorts.isEmpty)
    var snapshot = try Board(["/dev/ttyAMA0": "", "/proc/cmdline": "console=tty1"]).snapshot
    #expect(BoardPortFindings.findings(snapshot).map(\.severity) == [.note])
    snapshot.devices = [.init(devnode: "/dev/ttyACM0", role: .receiver)]
    #expect(BoardPortFindings.findings(snapshot).isEmpty)
  }

  @Test func `with a daemon, doctor prints the command that adds the port to the configuration`() throws {
    var snapshot = try Board(["/dev/ttyAMA0": ""], links: ["/dev/serial0": "ttyAMA0"]).snapshot
    snapshot.mode = .enforced(socket: "/run/s")
    let remedy = BoardPortFindings.findings(snapshot).first?.remedy
    #expect(remedy?.contains(#"type = "serial"\ndevice = "%s""#) == true, "\(remedy ?? "")")
    #expect(remedy?.contains("/dev/serial0 | sudo tee -a /etc/fixcast/conf.d/") == true)
  }
}
