// SPDX-License-Identifier: Apache-2.0

/// Parses numbers.
enum TOMLNumber {
  /// `nil` for a text that is no number, and for a whole number beyond 64 bits.
  static func value(_ text: String) -> SettingValue? {
    let sign = text.first.flatMap { $0 == "+" || $0 == "-" ? $0 : nil }
    let rest = sign == nil ? text[...] : text.dropFirst()
    switch rest {
    case "inf": return .number(sign == "-" ? -.infinity : .infinity)
    case "nan": return .number(.nan)
    default: break
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where rest.hasPrefix(prefix) {
      guard sign == nil, let digits = digits(rest.dropFirst(2), radix: radix) else { return nil }
      return Int64(digits, radix: radix).map(SettingValue.integer)
    }
    if let digits = digits(rest, radix: 10) {
      guard digits.count == 1 || !digits.hasPrefix("0") else { return nil }
      return Int64((sign == "-" ? "-" : "") + digits).map(SettingValue.integer)
    }
    return fraction(rest).flatMap { Double((sign == "-" ? "-" : "") + $0) }
      .map(SettingValue.number)
  }

  /// `WHOLE[.FRACTION][eEXPONENT]` with at least one of the two, without underscores.
  private static func fraction(_ text: Substring) -> String? {
    let parts = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count + mantissa.count > 2, let whole = digits(mantissa[0], radix: 10),
      whole.count == 1 || !whole.hasPrefix("0")
    else { return nil }
    var number = whole
    if mantissa.count == 2 {
      guard let fraction = digits(mantissa[1], radix: 10) else { return nil }
      number += "." + fraction
    }
    if parts.count == 2 {
      let isSigned = parts[1].hasPrefix("+") || parts[1].hasPrefix("-")
      guard let exponent = digits(isSigned ? parts[1].dropFirst() : parts[1], radix: 10) else {
        return nil
      }
      number += "e" + (parts[1].hasPrefix("-") ? "-" : "") + exponent
    }
    return number
  }

  /// The digits without underscores; `nil` if there is anything else.
  private static func digits(_ text: Substring, radix: Int) -> String? {
    let groups = text.split(separator: "_", omittingEmptySubsequences: false)
    let fits = groups.allSatisfy { group in
      !group.isEmpty
        && group.allSatisfy { $0.isASCII && ($0.hexDigitValue.map { $0 < radix } ?? false) }
    }
    return fits ? groups.joined() : nil
  }
}
