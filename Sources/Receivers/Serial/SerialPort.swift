// SPDX-License-Identifier: Apache-2.0

internal import CGPS
import Glibc
import Synchronization
internal import SystemSupport

/// A serial port opened for reading only.
///
/// Nothing is ever written, since a receiver may interpret foreign bytes as a command and change
/// its mode permanently. The descriptor is closed by ``close()`` or with the last reference.
final class SerialPort: Sendable {
  let devnode: String
  let descriptor: Int32
  private let isClosed = Atomic(false)
  private let isExclusive = Atomic(false)
  /// The port settings before ``configure(baud:)``.
  private let originalSettings = Mutex<cgps_serial_settings?>(nil)

  /// Opens a devnode as a raw line of 8 data bits, no parity, one stop bit.
  ///
  /// - Parameters:
  ///   - devnode: The devnode.
  ///   - baud: The baud rate; `nil` keeps the port's baud rate, which Linux preserves from the last
  ///     user. USB receivers ignore the baud rate.
  /// - Throws: ``SerialError`` of kind open, busy, configure or speed.
  init(devnode: String, baud: Int?) throws(SerialError) {
    self.devnode = devnode
    // TIOCEXCL does not stop root, and some programs do not set TIOCEXCL, so check open files, too.
    let rivals = Self.isMemoryDevice(devnode) ? [] : PortHolders(of: [devnode]).rivals(of: devnode)
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
    // All properties are initialized, so `deinit` closes the port if an error is thrown below.
    if !Self.isMemoryDevice(devnode) { try lock() }
    let original = try readSettings()
    originalSettings.withLock { $0 = original }
    try configure(baud: baud)
    // TIOCEXCL prevents other programs from opening the port and reading some of the bytes. If the
    // driver does not support TIOCEXCL, continue without it.
    if ioctl(descriptor, UInt(TIOCEXCL)) == 0 { isExclusive.store(true, ordering: .releasing) }
    // The age of buffered input is unknown.
    discardInput()
  }

  deinit { close() }

  /// Closes the port.
  ///
  /// Further calls have no effect. The caller must be the last user of the descriptor, since the
  /// kernel may reuse the descriptor's number afterwards.
  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // The kernel clears TIOCEXCL only when the last program closes the port.
    if isExclusive.load(ordering: .acquiring) { _ = ioctl(descriptor, UInt(TIOCNXCL)) }
    FileLock.close(descriptor)
  }

  /// Locks the port against other programs that use flock(2).
  ///
  /// Unlike TIOCEXCL, the lock also stops root, and one of two programs that open the port at the
  /// same moment. Closing the descriptor releases the lock.
  private func lock() throws(SerialError) {
    do throws(SystemCallFailure) {
      try SystemCall.run("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
    } catch {
      // Ignore other errors, such as a file system that does not support locks.
      guard error.number == EWOULDBLOCK else { return }
      let holders = PortHolders(of: [devnode])
      let rivals = holders.rivals(of: devnode)
      throw SerialError(.busy(rivals), devnode, error)
    }
  }

  /// Restores the original settings of a port on which no receiver was found.
  ///
  /// Does not restore the flag HUPCL, since closing a port with HUPCL might reset the board.
  func restoreSettings() {
    guard var settings = originalSettings.withLock({ $0 }) else { return }
    _ = cgps_serial_restore(descriptor, &settings)
  }

  /// Whether the devnode is a memory device such as /dev/null, which many programs have open.
  private static func isMemoryDevice(_ devnode: String) -> Bool {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    return status.st_rdev >> 8 & 0xFFF == 1
  }

  /// The baud rates that a port may be set to.
  private static let baudRates = 300...4_000_000

  private func configure(baud: Int?) throws(SerialError) {
    let isSupported = baud.map(Self.baudRates.contains) ?? true
    let failure = SerialError(kind: .speed(baud: baud ?? 0), devnode: devnode, call: "tcsetattr")
    guard isSupported else { throw failure }
    do throws(SystemCallFailure) {
      try SystemCall.run("tcsetattr") { cgps_serial_configure(descriptor, UInt32(baud ?? 0)) }
    } catch {
      throw SerialError(.configure, devnode, error)
    }
    // A driver uses the nearest baud rate that it can generate; a receiver tolerates 2 %.
    if let baud, try abs((speedBaud() ?? 0) - baud) > baud / 50 { throw failure }
  }

  /// Changes the baud rate and discards input received at the previous baud rate.
  func setSpeed(baud: Int) throws(SerialError) {
    try configure(baud: baud)
    discardInput()
  }

  private static let maxDiscardRounds = 8
  /// The time to wait for input that the kernel has not passed on yet.
  private static let settlingMilliseconds: Int32 = 5

  /// Discards all unread input.
  ///
  /// tcflush(3) discards only the input that is ready to be read. The kernel may then make more
  /// input ready, so several rounds may be needed.
  func discardInput() {
    for _ in 0..<Self.maxDiscardRounds {
      guard tcflush(descriptor, TCIFLUSH) == 0 else { return }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Self.settlingMilliseconds) > 0,
        waiting.revents == Int16(POLLIN)
      else { return }
    }
  }

  /// Returns the current baud rate of the port; `nil` if it is not one that can be set again.
  func speedBaud() throws(SerialError) -> Int? { Self.baud(try readSettings()) }

  /// Returns the baud rate of a terminal as ``speedBaud()`` does; also `nil` after a hang-up.
  static func speedBaud(of descriptor: Int32) -> Int? {
    var settings = cgps_serial_settings()
    return cgps_serial_get(descriptor, &settings) == 0 ? baud(settings) : nil
  }

  private static func baud(_ settings: cgps_serial_settings) -> Int? {
    let baud = Int(withUnsafePointer(to: settings) { cgps_serial_baud($0) })
    return baudRates.contains(baud) ? baud : nil
  }

  private func readSettings() throws(SerialError) -> cgps_serial_settings {
    var settings = cgps_serial_settings()
    do throws(SystemCallFailure) {
      try SystemCall.run("tcgetattr") { cgps_serial_get(descriptor, &settings) }
    } catch {
      throw SerialError(.configure, devnode, error)
    }
    return settings
  }
}
