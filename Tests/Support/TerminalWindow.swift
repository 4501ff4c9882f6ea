// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A terminal window in which a test runs a program, types and resizes.
package final class TerminalWindow: Sendable {
  /// glibc's `POSIX_SPAWN_SETSID`, which Swift does not import.
  static let spawnSetsID: Int32 = 0x80

  /// The devnode of the program's end of the terminal.
  let devnode: String
  private let master: Mutex<Int32>
  /// The program's end of the terminal; closed in this process once the program has inherited it,
  /// so that the program's exit can be detected.
  private let slave: Mutex<Int32>

  /// Opens a window.
  package init?(columns: Int, rows: Int) {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else { return nil }
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    devnode = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.master = Mutex(master)
    self.slave = Mutex(slave)
    resize(columns: columns, rows: rows)
  }

  deinit {
    for descriptor in [master.withLock { $0 }, slave.withLock { $0 }] where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Resizes the window; the kernel notifies the program.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(clamping: rows), ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
    master.withLock { _ = ioctl($0, UInt(TIOCSWINSZ), &size) }
  }

  /// Types characters, such as U+0003 for Ctrl-C.
  package func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    master.withLock { _ = write($0, bytes, bytes.count) }
  }

  /// Whether the terminal echoes typed characters.
  package var echoes: Bool { has(ECHO) }

  /// Whether the program receives typed characters only after the Enter key.
  package var isLineBuffered: Bool { has(ICANON) }

  private func has(_ flag: Int32) -> Bool {
    var settings = termios()
    // Both ends of the terminal have the same settings.
    let isKnown = master.withLock { tcgetattr($0, &settings) == 0 }
    return isKnown && settings.c_lflag & tcflag_t(flag) != 0
  }

  /// Returns a copy of the test's end for reading, and the program's end; -1 for an end that is
  /// unavailable.
  func makeEnds() -> [Int32] {
    let program = slave.withLock { slave in
      defer { slave = -1 }
      return slave
    }
    return [master.withLock { fcntl($0, F_DUPFD_CLOEXEC, 0) }, program]
  }
}
