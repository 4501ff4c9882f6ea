// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins

/// A terminal that a view may be drawn on.
struct Terminal: Sendable {
  /// What a terminal has that does not know.
  private static let usualSize = (columns: 80, rows: 24)

  private let descriptor: Int32

  /// Takes the terminal behind a descriptor; `nil` where there is none, or one that cannot move
  /// its cursor.
  init?(descriptor: Int32) {
    guard isatty(descriptor) == 1, let name = getenv("TERM"), name.pointee != 0,
      strcmp(name, "dumb") != 0
    else { return nil }
    self.descriptor = descriptor
  }

  /// Its present size, at least one column and row.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return Self.usualSize }
    return (
      size.ws_col > 0 ? Int(size.ws_col) : Self.usualSize.columns,
      size.ws_row > 0 ? Int(size.ws_row) : Self.usualSize.rows
    )
  }

  /// Whether it takes bytes now: not while its user has stopped the output.
  var isReady: Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&waiting, 1, 0) != 0
  }

  /// Writes bytes.
  func write(_ bytes: [UInt8]) throws(DescriptorOutput.Failure) {
    try DescriptorOutput(descriptor: descriptor).write(bytes)
  }

  /// Whether it is another program's at present: this one runs in its background.
  var isTaken: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// Lets typed keys not appear.
  ///
  /// - Returns: The settings before; `nil` where nothing was changed.
  func hideKeys() -> termios? {
    var settings = termios()
    // From the background the kernel would stop the program for it.
    guard !isTaken, tcgetattr(descriptor, &settings) == 0 else { return nil }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    return tcsetattr(descriptor, TCSADRAIN, &settings) == 0 ? before : nil
  }

  /// Restores what ``hideKeys()`` changed.
  func restore(_ settings: termios?) {
    guard var settings, !isTaken else { return }
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }
}
