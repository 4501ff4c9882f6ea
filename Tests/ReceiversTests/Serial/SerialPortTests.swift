// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import SystemSupport
import Testing

@testable import Receivers

/// Opening of a devnode.
@Suite struct SerialPortTests {
  @Test func `a port is opened read-only, raw, 8N1, and without hang-up on close`() throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    let flags = fcntl(port.descriptor, F_GETFL)
    #expect(flags & O_ACCMODE == O_RDONLY)
    #expect(flags & O_NONBLOCK != 0)
    #expect(fcntl(port.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    var settings = termios()
    try #require(tcgetattr(port.descriptor, &settings) == 0)
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB | HUPCL) == 0)
    #expect(settings.c_cflag & tcflag_t(CRTSCTS) == 0)
    #expect(settings.c_cflag & tcflag_t(CLOCAL) != 0)
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(settings.c_iflag & tcflag_t(ICRNL | IXON | IXOFF | ISTRIP) == 0)
    #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
  }

  @Test(arguments: [4800, 9600, 115_200, 921_600])
  func `the baud rate of a port is set and is kept when the port is opened again`(baud: Int) throws {
    let terminal = try PseudoTerminal()
    #expect(try SerialPort(devnode: terminal.devnode, baud: baud).speedBaud() == baud)
    #expect(try SerialPort(devnode: terminal.devnode, baud: nil).speedBaud() == baud)
  }

  @Test(arguments: [12_345, 250_000])
  func `a baud rate that termios has no constant for is set`(baud: Int) throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(devnode: terminal.devnode, baud: baud)
    #expect(try port.speedBaud() == baud)
    try port.setSpeed(baud: 9600)
    #expect(try port.speedBaud() == 9600)
    // Other programs read the baud rate with tcgetattr(3).
    var settings = termios()
    try #require(tcgetattr(port.descriptor, &settings) == 0)
    #expect(cfgetospeed(&settings) == speed_t(B9600))
    #expect(cfgetispeed(&settings) == speed_t(B9600))
  }

  @Test func `a present baud rate that cannot be set again is unknown, so that detection does not try it`() throws {
    let terminal = try PseudoTerminal()
    let descriptor = open(terminal.devnode, O_RDWR | O_NOCTTY)
    defer { SystemCall.close(descriptor) }
    var settings = termios()
    try #require(tcgetattr(descriptor, &settings) == 0)
    cfsetispeed(&settings, speed_t(B110))
    cfsetospeed(&settings, speed_t(B110))
    try #require(tcsetattr(descriptor, TCSANOW, &settings) == 0)
    let port = try SerialPort(devnode: terminal.devnode, baud: nil)
    #expect(try port.speedBaud() == nil)
    var present = termios()
    try #require(tcgetattr(descriptor, &present) == 0)
    #expect(cfgetospeed(&present) == speed_t(B110), "the baud rate is kept")
  }

  @Test(arguments: [0, -1, 1, 4_000_001, .max, .min])
  func `an unsupported baud rate is rejected`(baud: Int) throws {
    let terminal = try PseudoTerminal()
    let error = #expect(throws: SerialError.self) {
      try SerialPort(devnode: terminal.devnode, baud: baud)
    }
    #expect(error?.kind == .speed(baud: baud))
  }

  @Test func `the descriptor of a port is closed, even if opening fails`() throws {
    let terminal = try PseudoTerminal()
    let folder = try ScratchFolder()
    try folder.write("no-terminal", "")
    let file = folder.path + "/no-terminal"
    _ = try SerialPort(devnode: terminal.devnode, baud: nil)
    #expect(throws: SerialError.self) { try SerialPort(devnode: file, baud: nil) }
    #expect(throws: SerialError.self) { try SerialPort(devnode: terminal.devnode, baud: 1) }
    #expect(OpenDescriptors.count(of: file) == 0)
    #expect(OpenDescriptors.count(of: terminal.devnode) == 1, "of the terminal itself")
  }

  @Test(arguments: [1, 40])
  func `bytes that arrived before a port was opened are discarded`(blocks: Int) throws {
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

  @Test(arguments: [
    (EACCES, "udevadm trigger"), (ENOENT, "plug the receiver in"),
    (ENXIO, "plug the receiver in"),
    (EPERM, "plug the receiver in"), (EINVAL, "dmesg"),
  ])
  func `the remedy for a port that cannot be opened depends on the error number`(number: Int32, words: String) {
    let error = SerialError(
      .open, "/dev/fixcast-none", SystemCallFailure(call: "open", number: number))
    #expect(error.advice.contains(words))
    #expect(error.description.contains("(errno \(number))"))
    #expect(!error.description.contains("\n"))
  }

  @Test(arguments: [
    (ENODEV, "mount -t devpts"), (ENOENT, "mount -t devpts"), (ENOSPC, "kernel.pty.max"),
    (EMFILE, "limit of open files"), (EAGAIN, "limit of open files"),
  ])
  func `the remedy for a missing pseudo-terminal is not to raise the limit of open files`(number: Int32, words: String)
  {
    let failure = SystemCallFailure(call: "openpty", number: number)
    #expect(SerialError(.resources, "/dev/ptmx", failure).advice.contains(words))
  }

  @Test func `a device that a control group refuses is told from a devnode without permission`() {
    // /dev/null has the major number 1.
    let failure = SystemCallFailure(call: "open", number: EPERM)
    let advice = SerialError(.open, "/dev/null", failure).advice
    #expect(
      advice.contains("DeviceAllow=char-1 rw") && advice.contains("systemctl restart fixcast"))
    #expect(!advice.contains("usermod") && !advice.contains("udevadm"))
    // A number that the kernel may give to another driver is not put into the unit.
    for major: UInt64 in [234, 254, 384, 511] {
      let advice = SerialError.deviceFilterAdvice(major: major)
      #expect(advice.contains("char-NAME rw") && !advice.contains("char-\(major)"), "\(advice)")
    }
    #expect(SerialError.deviceFilterAdvice(major: 188).contains("char-188 rw"))
  }

  @Test func `the remedy for binary data is to use gpsd, and for RTCM corrections to enable NMEA`() {
    for found in BinaryProtocol.allCases {
      let error = SerialError(kind: .binaryOnly(found), devnode: "/dev/ttyACM0", call: "read")
      #expect(error.advice.contains(found == .rtcm3 ? "send NMEA" : "use gpsd as the source"))
    }
  }
}

/// The advice for missing permission to read a devnode.
@Suite struct NodeGroupTests {
  @Test func `the advice names a devnode's group only if the group has read permission and is not root`() {
    let readable = NodeGroup(name: "plugdev", mayRead: true)
    #expect(readable.advice.contains(#"usermod -aG plugdev "$USER""#))
    for group in [
      NodeGroup(name: "root", mayRead: true), .init(name: "dialout", mayRead: false),
      .init(name: nil, mayRead: true),
    ] {
      #expect(group.advice.contains("udevadm trigger --action=add"))
    }
    for mayRead in [false, true] {
      var group = NodeGroup(name: "tty", mayRead: mayRead)
      #expect(group.advice.hasPrefix("a login has taken it,"))
      group.isTerminal = true
      #expect(!group.advice.contains("a login"))
    }
  }

  @Test func `the group of a devnode and the group's read permission are determined`() {
    #expect(NodeGroup(of: "/dev/null") == .init(name: "root", mayRead: true))
    #expect(NodeGroup(of: "/dev/fixcast-none") == .init(name: nil, mayRead: false))
  }
}

/// The wrapper of system calls.
@Suite struct SystemCallTests {
  @Test func `a system call interrupted by a signal is repeated`() throws {
    var calls = 0
    let value = try SystemCall.run("read") {
      calls += 1
      if calls < 4 { errno = EINTR }
      return calls < 4 ? -1 : 7
    }
    #expect(value == 7)
    #expect(calls == 4)
  }

  @Test func `a failed system call throws its name and errno`() {
    #expect(throws: SystemCallFailure(call: "close", number: EBADF)) {
      try SystemCall.run("close") { () -> Int32 in Glibc.close(-1) }
    }
  }
}
