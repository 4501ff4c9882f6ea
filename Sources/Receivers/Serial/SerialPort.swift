// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
internal import SystemSupport

/// A serial line that is only listened to.
///
/// Nothing is ever written: a receiver that gets bytes meant for another may change its mode for
/// good. The descriptor is closed by ``close()``, or with the last reference.
final class SerialPort: Sendable {
  let devnode: String
  let descriptor: Int32
  private let isClosed = Atomic(false)
  private let isExclusive = Atomic(false)
  /// How the port was set when it was opened.
  private let settingsAtFirst = Mutex<termios?>(nil)

  /// Opens a devnode as a raw line of 8 data bits, no parity, one stop bit.
  ///
  /// - Parameters:
  ///   - devnode: The devnode.
  ///   - baud: The speed; `nil` leaves the one that the port has, which Linux keeps from its last
  ///     user and which USB receivers ignore.
  /// - Throws: ``SerialError`` of kind open, busy, configure or speed.
  init(devnode: String, baud: Int?) throws(SerialError) {
    self.devnode = devnode
    // Exclusive use binds everyone but root, and not every holder asked for it.
    let rivals = Self.isMemory(devnode) ? [] : PortHolders(of: [devnode]).rivals(of: devnode)
    guard rivals.isEmpty else {
      throw SerialError(kind: .busy(rivals), devnode: devnode, call: "open", errorNumber: EBUSY)
    }
    do throws(SystemCallFailure) {
      descriptor = try SystemCall.run("open") {
        open(devnode, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      }
    } catch {
      throw SerialError(error.number == EBUSY ? .busy([]) : .open, devnode, error)
    }
    // From here on the initializer owns every property, so a throw runs `deinit`.
    if !Self.isMemory(devnode) { try lock() }
    let first = try attributes()
    settingsAtFirst.withLock { $0 = first }
    try configure(baud: baud)
    // Keeps a second program from taking half the bytes. Where the driver will not, we read on.
    if ioctl(descriptor, UInt(TIOCEXCL)) == 0 { isExclusive.store(true, ordering: .releasing) }
    // Nobody knows how old what waits here is.
    discardInput()
  }

  deinit { close() }

  /// Ends the use of the port; harmless when done again.
  ///
  /// Only for whoever is the last to use the descriptor: its number may be another's afterwards.
  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // Exclusive use ends with the last close only, and that may be another program's.
    if isExclusive.load(ordering: .acquiring) { _ = ioctl(descriptor, UInt(TIOCNXCL)) }
    SystemCall.close(descriptor)
  }

  /// Takes the port for this program alone, among all that lock what they open.
  ///
  /// That binds root's as well, and two that have looked for each other at the same moment.
  /// Released with the descriptor.
  private func lock() throws(SerialError) {
    do throws(SystemCallFailure) {
      try SystemCall.run("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
    } catch {
      // A file system that knows no locks keeps nobody out.
      guard error.number == EWOULDBLOCK else { return }
      let holders = PortHolders(of: [devnode])
      let rivals = holders.rivals(of: devnode)
      throw SerialError(.busy(rivals), devnode, error)
    }
  }

  /// Sets the port as it was when it was opened: for one that was listened to for nothing.
  ///
  /// Not that the last close hangs up, if it was so: the board behind may reset on that.
  func restoreSettings() {
    guard var settings = settingsAtFirst.withLock({ $0 }) else { return }
    settings.c_cflag &= ~tcflag_t(HUPCL)
    _ = tcsetattr(descriptor, TCSANOW, &settings)
  }

  /// Whether it is one of /dev/null's kind, which any number of programs have open.
  private static func isMemory(_ devnode: String) -> Bool {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    return status.st_rdev >> 8 & 0xFFF == 1
  }

  private func configure(baud: Int?) throws(SerialError) {
    var settings = try attributes()
    cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(CSTOPB | PARENB | CSIZE)
    settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
    // Without HUPCL the last close leaves DTR and RTS as they are; some boards reset on a change.
    settings.c_cflag &= ~tcflag_t(HUPCL)
    settings.c_cflag &= ~tcflag_t(CRTSCTS)
    settings.c_iflag &= ~tcflag_t(IXON | IXOFF | IXANY)
    // With a minimum of one byte, a read of none means hang-up and not "nothing yet".
    Self.setReadMinimum(&settings)
    if let baud {
      guard let code = SerialSpeed.code(baud: baud) else {
        throw SerialError(kind: .speed(baud: baud), devnode: devnode, call: "tcsetattr")
      }
      cfsetispeed(&settings, code)
      cfsetospeed(&settings, code)
    }
    do throws(SystemCallFailure) {
      try SystemCall.run("tcsetattr") { tcsetattr(descriptor, TCSANOW, &settings) }
    } catch {
      throw SerialError(.configure, devnode, error)
    }
    // tcsetattr succeeds when it could do any part of what was asked.
    if let baud, try speedBaud() != baud {
      throw SerialError(kind: .speed(baud: baud), devnode: devnode, call: "tcsetattr")
    }
  }

  /// Changes the speed, and drops what came at the one before.
  func setSpeed(baud: Int) throws(SerialError) {
    try configure(baud: baud)
    discardInput()
  }

  private static let maxDiscardRounds = 8
  private static let settlingMilliseconds: Int32 = 5

  /// Drops what has come and was not read.
  ///
  /// A flush empties what is ready to be read only; the kernel then moves up what is behind it.
  func discardInput() {
    for _ in 0..<Self.maxDiscardRounds {
      guard tcflush(descriptor, TCIFLUSH) == 0 else { return }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Self.settlingMilliseconds) > 0,
        waiting.revents == Int16(POLLIN)
      else { return }
    }
  }

  /// The speed that the port has now; `nil` where termios has no number for it.
  func speedBaud() throws(SerialError) -> Int? {
    var settings = try attributes()
    return SerialSpeed.baud(code: cfgetospeed(&settings))
  }

  func attributes() throws(SerialError) -> termios {
    var settings = termios()
    do throws(SystemCallFailure) {
      try SystemCall.run("tcgetattr") { tcgetattr(descriptor, &settings) }
    } catch {
      throw SerialError(.configure, devnode, error)
    }
    return settings
  }

  private static func setReadMinimum(_ settings: inout termios) {
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
  }
}
