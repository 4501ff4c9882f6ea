// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemSupport
import Testing

@testable import Receivers

/// How a devnode is opened.
@Suite struct SerialPortTests {
  @Test("opens read-only, raw, 8N1, without hang-up on close")
  func opensRaw() throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    let flags = fcntl(port.descriptor, F_GETFL)
    #expect(flags & O_ACCMODE == O_RDONLY)
    #expect(flags & O_NONBLOCK != 0)
    #expect(fcntl(port.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let settings = try port.attributes()
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB | HUPCL) == 0)
    #expect(settings.c_cflag & tcflag_t(CRTSCTS) == 0)
    #expect(settings.c_cflag & tcflag_t(CLOCAL) != 0)
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(settings.c_iflag & tcflag_t(ICRNL | IXON | IXOFF | ISTRIP) == 0)
    #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
  }

  @Test("takes a speed and keeps it for the next user", arguments: [4800, 9600, 115_200, 921_600])
  func takesSpeed(baud: Int) throws {
    let terminal = try PseudoTerminal()
    #expect(try SerialPort(devnode: terminal.devnode, baud: baud).speedBaud() == baud)
    #expect(try SerialPort(devnode: terminal.devnode, baud: nil).speedBaud() == baud)
  }

  @Test("refuses a speed that termios has no number for", arguments: [0, -1, 12_345, .max])
  func refusesSpeed(baud: Int) throws {
    let terminal = try PseudoTerminal()
    let error = #expect(throws: SerialError.self) {
      try SerialPort(devnode: terminal.devnode, baud: baud)
    }
    #expect(error?.kind == .speed(baud: baud))
  }

  @Test("closes its descriptor, also where opening fails half-way")
  func closes() throws {
    let terminal = try PseudoTerminal()
    let first = try SerialPort(devnode: terminal.devnode, baud: nil).descriptor
    for _ in 0..<100 {
      #expect(throws: SerialError.self) { try SerialPort(devnode: "/dev/null", baud: nil) }
      #expect(throws: SerialError.self) { try SerialPort(devnode: terminal.devnode, baud: 1) }
    }
    // Other tests open and close meanwhile; two hundred leaks would still show.
    #expect(try SerialPort(devnode: terminal.devnode, baud: nil).descriptor < first + 100)
  }

  @Test("hands over nothing that came before it was opened, however much", arguments: [1, 40])
  func dropsWhatIsOld(blocks: Int) throws {
    let terminal = try PseudoTerminal()
    for _ in 0..<blocks { terminal.write([UInt8](repeating: 65, count: 500)) }
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    terminal.write(Array("new".utf8))
    var ready = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ready, 1, 10_000) == 1)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(port.descriptor, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "new")
  }

  @Test(
    "advises by error number",
    arguments: [
      (EACCES, "udevadm trigger"), (ENOENT, "Plug the receiver in"),
      (ENXIO, "Plug the receiver in"),
      (EPERM, "udevadm trigger"), (EINVAL, "dmesg"),
    ])
  func advises(number: Int32, words: String) {
    let error = SerialError(
      .open, "/dev/fixcast-none", SystemCallFailure(call: "open", number: number))
    #expect(error.advice.contains(words))
    #expect(error.description.contains("(errno \(number))"))
    #expect(!error.description.contains("\n"))
  }
}

/// Which group is advised.
@Suite struct NodeGroupTests {
  @Test("names the group only where it may read and is not root")
  func advises() {
    let helps = NodeGroup(name: "plugdev", mayRead: true)
    #expect(helps.advice.contains(#"usermod -aG plugdev "$USER""#))
    for group in [
      NodeGroup(name: "root", mayRead: true), .init(name: "dialout", mayRead: false),
      .init(name: nil, mayRead: true),
    ] {
      #expect(group.advice.contains("udevadm trigger"))
    }
  }

  @Test("reads the group of a node")
  func reads() {
    #expect(NodeGroup(of: "/dev/null") == .init(name: "root", mayRead: true))
    #expect(NodeGroup(of: "/dev/fixcast-none") == .init(name: nil, mayRead: false))
  }
}

/// The wrapper about system calls.
@Suite struct SystemCallTests {
  @Test("makes a call again when a signal cut it off")
  func retries() throws {
    var calls = 0
    let value = try SystemCall.run("read") {
      calls += 1
      if calls < 4 { errno = EINTR }
      return calls < 4 ? -1 : 7
    }
    #expect(value == 7)
    #expect(calls == 4)
  }

  @Test("throws the name of the call and its errno")
  func throwsErrno() {
    #expect(throws: SystemCallFailure(call: "close", number: EBADF)) {
      try SystemCall.run("close") { () -> Int32 in Glibc.close(-1) }
    }
  }
}
