// SPDX-License-Identifier: Apache-2.0

/// Parses TOML numbers.
enum TOMLNumber {
  /// Parses a number; returns `nil` for other text and for integers beyond 64 bits.
  static func value(_ text: String) -> SettingValue? {
    let isSigned = text.hasPrefix("+") || text.hasPrefix("-")
    let rest = isSigned ? text.dropFirst() : text[...]
    if rest == "inf" { return .number(text.hasPrefix("-") ? -.infinity : .infinity) }
    if rest == "nan" { return .number(.nan) }
    let plain = text.filter { $0 != "_" }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where rest.hasPrefix(prefix) {
      guard !isSigned, isDigits(rest.dropFirst(2), radix: radix) else { return nil }
      return Int64(plain.dropFirst(2), radix: radix).map(SettingValue.integer)
    }
    if isWhole(rest) { return Int64(plain).map(SettingValue.integer) }
    return isFraction(rest) ? Double(plain).map(SettingValue.number) : nil
  }

  /// Whether a text is `WHOLE[.FRACTION][eEXPONENT]` with a fraction, an exponent or both.
  private static func isFraction(_ text: Substring) -> Bool {
    let parts = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count + mantissa.count > 2 && isWhole(mantissa[0])
      && mantissa.dropFirst().allSatisfy { isDigits($0) }
      && parts.dropFirst().allSatisfy { exponent in
        isDigits(
          exponent.hasPrefix("+") || exponent.hasPrefix("-") ? exponent.dropFirst() : exponent)
      }
  }

  /// Whether a text consists of digits without a leading zero.
  private static func isWhole(_ text: Substring) -> Bool {
    isDigits(text) && (text.count == 1 || !text.hasPrefix("0"))
  }

  /// Whether a text consists of digits, with single underscores only between digits.
  private static func isDigits(_ text: Substring, radix: Int = 10) -> Bool {
    text.split(separator: "_", omittingEmptySubsequences: false).allSatisfy { group in
      !group.isEmpty
        && group.allSatisfy { $0.isASCII && ($0.hexDigitValue.map { $0 < radix } ?? false) }
    }
  }
}
