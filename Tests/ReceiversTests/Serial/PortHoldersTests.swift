// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import SystemSupport
import Testing

@testable import Receivers

/// Programs that have a port open.
@Suite struct PortHoldersTests {
  @Test func `each holder of a port is listed once, and processes that cannot be read are counted`() {
    let (receiver, other) = (Self.device(166, 0), Self.device(188, 0))
    let holders = PortHolders(
      of: ["/dev/gps": receiver, "/dev/ttyUSB0": other],
      among: [
        // The same device twice, as seen in two containers.
        .init(processID: 90, program: "gpsd", open: [receiver, Self.device(166, 0, on: 9)]),
        .init(processID: 12, program: "cat", open: [Self.device(1, 3), receiver]),
        .init(processID: 3, program: "other", open: nil),
        .init(processID: 4, program: "near", open: [Self.device(166, 1)]),
      ])
    #expect(
      holders.holders(of: "/dev/gps") == [
        .init(processID: 12, program: "cat"), .init(processID: 90, program: "gpsd"),
      ])
    #expect(holders.holders(of: "/dev/ttyUSB0") == [])
    #expect(holders.unreadableProcessCount == 1)
  }

  private static func device(_ major: UInt64, _ minor: UInt64, on system: UInt64 = 5) -> OpenDevice {
    var status = stat()
    status.st_mode = S_IFCHR | 0o600
    status.st_rdev = dev_t(major << 8 | minor)
    status.st_dev = dev_t(system)
    return OpenDevice(status)
  }

  @Test func `a pseudo-terminal in another devpts file system is a different device`() {
    let (ours, theirs) = (Self.device(136, 3), Self.device(136, 3, on: 9))
    #expect(ours.terminalIndex == 3 && Self.device(137, 2).terminalIndex == 258)
    #expect(Self.device(188, 3).terminalIndex == nil)
    let holders = PortHolders(
      of: ["/dev/pts/3": ours],
      among: [
        .init(processID: 40, program: "theirs", open: [theirs]),
        .init(processID: 41, program: "feeder", open: [ours], openMasters: [3]),
        .init(processID: 42, program: "ours", open: [ours], openMasters: [4]),
      ])
    #expect(holders.holders(of: "/dev/pts/3").map(\.processID) == [41, 42])
    #expect(holders.rivals(of: "/dev/pts/3").map(\.processID) == [42])
  }

  @Test func `two paths are the same port only if they lead to the same device`() throws {
    let folder = try ScratchFolder()
    let (terminal, other) = (try PseudoTerminal(), try PseudoTerminal())
    let (link, chain) = (folder.path + "/gps0", folder.path + "/gps1")
    try #require(symlink(terminal.devnode, link) == 0 && symlink(link, chain) == 0)
    for name in [terminal.devnode, link, chain] {
      #expect(PortHolders.isSamePort(name, terminal.devnode) && PortHolders.isSamePort(link, name))
      #expect(!PortHolders.isSamePort(name, other.devnode))
    }
    let nowhere = folder.path + "/nowhere"
    #expect(PortHolders.isSamePort(nowhere, nowhere) && !PortHolders.isSamePort(nowhere, link))
    #expect(!PortHolders.isSamePort("auto", ".") && !PortHolders.isSamePort(".", "./"))
  }

  private static let canMount =
    geteuid() == 0 && access("/usr/bin/python3", X_OK) == 0
    && access("/usr/bin/unshare", X_OK) == 0 && SmallVolume.isPermitted

  @Test(.enabled(if: canMount, "mounts a file system of terminals"))
  func `a program with a pseudo-terminal of the same name in another container is not a holder`() async throws {
    let terminal = try PseudoTerminal()
    let index = try #require(terminal.devnode.split(separator: "/").last)
    let script = """
      import os, signal
      while os.ttyname(os.openpty()[1]) != "/dev/pts/\(index)": pass
      print(os.getpid(), flush=True)
      signal.pause()
      """
    let mount = "mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts"
    try await ChildProcess.use(
      path: "/usr/bin/unshare",
      arguments: [
        "-m", "/bin/sh", "-c",
        mount + " && mount --bind /dev/pts/ptmx /dev/ptmx && exec python3 -c \"$0\"", script,
      ]
    ) { program in
      let processID = try #require(Int32(await program.lines.wait(for: 1)[0]))
      // The program has a terminal with the same name open.
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd")
      #expect(
        names.contains {
          SymbolicLink.target(of: "/proc/\(processID)/fd/\($0)")?.hasSuffix("/\(index)") == true
        })
      let holders = PortHolders(of: [terminal.devnode]).holders(of: terminal.devnode)
      #expect(!holders.contains { $0.processID == processID }, "\(holders)")
    }
  }

  // Runs in a separate process, since another test may open a terminal with the number of a closed
  // one.
  @Test func `this process is a holder of its open pseudo-terminal, under the devnode and a link`() async {
    await #expect(processExitsWith: .success) {
      let terminal = try PseudoTerminal()
      let link = NSTemporaryDirectory() + "/holders-\(UUID())"
      #expect(symlink(terminal.devnode, link) == 0)
      defer { unlink(link) }
      func program() -> String? {
        PortHolders(of: [link]).holders(of: link).first { $0.processID == getpid() }?.program
      }
      #expect(program()?.isEmpty == false)
      terminal.hangUp()
      #expect(program() == nil)
    }
  }

  @Test func `without /proc, a port has no holders`() {
    let holders = PortHolders(of: ["/dev/null"], in: "/nowhere/at/all")
    #expect(holders.holders(of: "/dev/null") == [])
    #expect(holders.unreadableProcessCount == 0)
  }
}
