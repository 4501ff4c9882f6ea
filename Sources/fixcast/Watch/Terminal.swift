// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins

/// A terminal with cursor control.
struct Terminal: Sendable {
  /// The assumed size of a terminal that does not report its size.
  private static let usualSize = (columns: 80, rows: 24)

  private let descriptor: Int32

  /// Uses the terminal of a descriptor; `nil` if the descriptor is not a terminal, or if the
  /// terminal cannot move its cursor.
  init?(descriptor: Int32) {
    guard isatty(descriptor) == 1, let name = getenv("TERM"), name.pointee != 0,
      strcmp(name, "dumb") != 0
    else { return nil }
    self.descriptor = descriptor
  }

  /// The current size, at least one column and row.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return Self.usualSize }
    return (
      size.ws_col > 0 ? Int(size.ws_col) : Self.usualSize.columns,
      size.ws_row > 0 ? Int(size.ws_row) : Self.usualSize.rows
    )
  }

  /// Whether the terminal accepts a write at once; after Ctrl-S, a write would block.
  var isReady: Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&waiting, 1, 0) != 0
  }

  /// Writes bytes.
  func write(_ bytes: [UInt8]) throws(DescriptorOutput.Failure) {
    try DescriptorOutput(descriptor: descriptor).write(bytes)
  }

  /// Whether another program is in the foreground.
  var isInBackground: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// Whether a descriptor is open on this terminal.
  func isSameTerminal(as other: Int32) -> Bool {
    var (mine, others) = (stat(), stat())
    return isatty(other) == 1 && fstat(descriptor, &mine) == 0 && fstat(other, &others) == 0
      && mine.st_rdev == others.st_rdev
  }

  /// Turns the echo of typed keys off.
  ///
  /// - Parameter readsKeys: Whether each key is to be readable at once, before the Enter key.
  /// - Returns: The previous settings; `nil` if nothing was changed.
  func hideKeys(readsKeys: Bool) -> termios? {
    var settings = termios()
    // The kernel would stop a background program that changes the settings.
    guard !isInBackground, tcgetattr(descriptor, &settings) == 0 else { return nil }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    // Ctrl-C and Ctrl-Z remain signals, since ISIG is unchanged.
    if readsKeys { settings.c_lflag &= ~tcflag_t(ICANON) }
    return tcsetattr(descriptor, TCSADRAIN, &settings) == 0 ? before : nil
  }

  /// Restores the settings that ``hideKeys(readsKeys:)`` changed.
  func restore(_ settings: termios?) {
    guard var settings, !isInBackground else { return }
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }
}
