// SPDX-License-Identifier: Apache-2.0

/// Text escaping for XML 1.0.
enum XMLText {
  /// Returns the first `limit` characters, escaped for element content or a quoted attribute.
  ///
  /// Characters that XML cannot represent are replaced by U+FFFD.
  static func escaped(_ text: String, limit: Int = 200) -> String {
    var escaped = ""
    for scalar in text.prefix(limit).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&apos;"
      default: escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return escaped
  }

  /// Whether XML 1.0 (production 2) allows a character; false for tabs and line ends too, because
  /// they are useless in a name.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
      && !(0x7F...0x9F).contains(scalar.value)
  }
}
