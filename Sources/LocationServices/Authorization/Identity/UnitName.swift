// SPDX-License-Identifier: Apache-2.0

/// Validates the names of systemd units, see systemd.unit(5).
enum UnitName {
  static func isValid(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name.utf8.allSatisfy(isAllowed)
  }

  /// The services that log users in, without the instance of a template.
  ///
  /// Without `dropbear`: up to its version 2025.88, its processes keep running as root after another
  /// user has logged in, and open the forwarded connections of that user.
  private static let loginServices: Set<Substring> = [
    "autovt", "console-getty", "container-getty", "debug-shell", "emergency", "getty",
    "rescue", "serial-getty", "ssh", "sshd",
  ]

  /// Whether a system unit is a service that logs users in, such as `ssh.service` or
  /// `getty@tty1.service`.
  static func isLogin(_ name: String) -> Bool {
    guard name.hasSuffix(".service") else { return false }
    return loginServices.contains(name.dropLast(8).prefix { $0 != "@" })
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "\\"), UInt8(ascii: "@"):
      true
    default: false
    }
  }
}
