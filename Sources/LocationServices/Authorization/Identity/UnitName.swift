// SPDX-License-Identifier: Apache-2.0

/// Validates the names of systemd units, see systemd.unit(5).
enum UnitName {
  static func isValid(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name.utf8.allSatisfy(isAllowed)
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
