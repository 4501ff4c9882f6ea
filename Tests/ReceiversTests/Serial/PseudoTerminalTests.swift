// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// The simulated serial line.
@Suite(.timeLimit(.minutes(5))) struct PseudoTerminalTests {
  @Test func `a pseudo-terminal without a reader does not block writes, and counts dropped bytes`() throws {
    let terminal = try PseudoTerminal()
    let block = [UInt8](repeating: 65, count: 10_000)
    var written = 0
    for _ in 0..<100 { written += terminal.write(block) }
    #expect(written < 1_000_000)
    #expect(terminal.droppedByteCount == UInt64(1_000_000 - written))
  }

  @Test func `after a pseudo-terminal has discarded old bytes, a reader gets only later bytes`() throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    terminal.write(Array("old".utf8))
    // The kernel passes the bytes to the other end asynchronously.
    waitUntilReadable(port)
    terminal.discardUnread(over: 3)
    #expect(terminal.droppedByteCount == 0)
    terminal.discardUnread(over: 2)
    #expect(terminal.droppedByteCount == 3)
    terminal.write(Array("new".utf8))
    #expect(try read(port) == Array("new".utf8))
  }

  @Test func `a pseudo-terminal passes every byte value unchanged and without an echo`() throws {
    let terminal = try PseudoTerminal()
    let all = (0...255).map { UInt8($0) }
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    terminal.write(all)
    #expect(try read(port) == all)
    #expect(terminal.drainInput() == 0)
  }

  @Test func `bytes that a client writes to a pseudo-terminal are discarded`() throws {
    let terminal = try PseudoTerminal()
    let client = open(terminal.devnode, O_RDWR | O_NOCTTY)
    defer { close(client) }
    #expect(write(client, "probe\n", 6) == 6)
    var total = 0
    let deadline = MonotonicTime.now().advanced(byNanoseconds: 10_000_000_000)
    while total < 6, .now() < deadline { total += terminal.drainInput() }
    #expect(total == 6)
    #expect(terminal.drainInput() == 0)
  }

  @Test func `after a hang-up, a pseudo-terminal drops all bytes`() throws {
    let terminal = try PseudoTerminal()
    terminal.hangUp()
    terminal.hangUp()
    #expect(terminal.write([1, 2]) == 0)
    #expect(terminal.droppedByteCount == 2)
    #expect(terminal.drainInput() == 0)
    terminal.discardUnread(over: 0)
  }

  @Test(arguments: [UInt32(0o600), 0o666])
  func `a pseudo-terminal has the requested permissions`(mode: UInt32) throws {
    let terminal = try PseudoTerminal(permissions: mode)
    var status = stat()
    #expect(stat(terminal.devnode, &status) == 0)
    #expect(status.st_mode & 0o777 == mode)
  }

  private func waitUntilReadable(_ port: SerialPort) {
    var ready = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ready, 1, 10_000) == 1)
  }

  private func read(_ port: SerialPort) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    waitUntilReadable(port)
    let count = Glibc.read(port.descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }
}
