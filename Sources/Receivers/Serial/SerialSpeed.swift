// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The baud rates of serial ports: those that termios has constants for, and others of Linux.
enum SerialSpeed {
  private static let table: [(baud: Int, code: speed_t)] = [
    (300, speed_t(B300)), (600, speed_t(B600)), (1200, speed_t(B1200)), (2400, speed_t(B2400)),
    (4800, speed_t(B4800)), (9600, speed_t(B9600)), (19_200, speed_t(B19200)),
    (38_400, speed_t(B38400)), (57_600, speed_t(B57600)), (115_200, speed_t(B115200)),
    (230_400, speed_t(B230400)), (460_800, speed_t(B460800)), (500_000, speed_t(B500000)),
    (576_000, speed_t(B576000)), (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)),
    (1_152_000, speed_t(B1152000)), (1_500_000, speed_t(B1500000)),
    (2_000_000, speed_t(B2000000)), (2_500_000, speed_t(B2500000)),
    (3_000_000, speed_t(B3000000)), (3_500_000, speed_t(B3500000)),
    (4_000_000, speed_t(B4000000)),
  ]

  /// Returns the termios constant of a baud rate, or `nil` if there is no constant.
  static func code(baud: Int) -> speed_t? { table.first { $0.baud == baud }?.code }

  /// Returns the baud rate of a termios constant, or `nil` for 0 baud and other unlisted values.
  static func baud(code: speed_t) -> Int? { table.first { $0.code == code }?.baud }

  /// Sets a baud rate that termios has no constant for; returns whether the port then uses it.
  ///
  /// Uses TCGETS2 and TCSETS2 with `struct termios2`: four flags, five words of characters, two
  /// speeds. glibc has neither.
  static func set(baud: Int, of descriptor: Int32) -> Bool {
    let (get, set): (UInt, UInt) = (0x802C_542A, 0x402C_542B)
    // CBAUD and CIBAUD of c_cflag, and BOTHER, with which the kernel reads the speeds.
    let (mask, other): (UInt32, UInt32) = (0x100F_100F, 0x1000)
    var settings = [UInt32](repeating: 0, count: 11)
    guard (300...4_000_000).contains(baud), ioctl(descriptor, get, &settings) == 0 else {
      return false
    }
    settings[2] = settings[2] & ~mask | other
    (settings[9], settings[10]) = (UInt32(baud), UInt32(baud))
    guard ioctl(descriptor, set, &settings) == 0, ioctl(descriptor, get, &settings) == 0 else {
      return false
    }
    // A driver reports the nearest baud rate that it can generate; a receiver tolerates 2 %.
    return abs(Int(settings[10]) - baud) <= baud / 50
  }
}
