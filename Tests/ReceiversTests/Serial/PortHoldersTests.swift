// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Receivers

/// Who has a port open.
@Suite struct PortHoldersTests {
  @Test("names each program that has a port open, once, and counts those it could not look at")
  func sortsOut() {
    let holders = PortHolders(
      of: ["/dev/gps": "/dev/ttyACM0", "/dev/ttyUSB0": "/dev/ttyUSB0"],
      among: [
        .init(processID: 90, program: "gpsd", openPaths: ["/dev/ttyACM0", "/dev/ttyACM0"]),
        .init(processID: 12, program: "cat", openPaths: ["/dev/null", "/dev/ttyACM0"]),
        .init(processID: 3, program: "other", openPaths: nil),
        .init(processID: 4, program: "near", openPaths: ["/dev/ttyACM01", "/dev/ttyACM"]),
      ])
    #expect(
      holders.holders(of: "/dev/gps") == [
        .init(processID: 12, program: "cat"), .init(processID: 90, program: "gpsd"),
      ])
    #expect(holders.holders(of: "/dev/ttyUSB0") == [])
    #expect(holders.unseenProcessCount == 1)
  }

  @Test("sees this program hold a pseudo-terminal, through a link too, until it closes it")
  func seesItself() throws {
    let terminal = try PseudoTerminal()
    let link = NSTemporaryDirectory() + "/holders-\(UUID())"
    #expect(symlink(terminal.devnode, link) == 0)
    defer { unlink(link) }
    let holder = PortHolders(of: [link]).holders(of: link).first
    #expect(holder?.processID == getpid())
    #expect(holder?.program.isEmpty == false)
    terminal.hangUp()
    #expect(PortHolders(of: [link]).holders(of: link).isEmpty)
  }

  @Test("takes a folder that is not /proc for one without processes")
  func survivesNoProc() {
    let holders = PortHolders(of: ["/dev/null"], in: "/nowhere/at/all")
    #expect(holders.holders(of: "/dev/null") == [])
    #expect(holders.unseenProcessCount == 0)
  }
}
