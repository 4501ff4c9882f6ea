// SPDX-License-Identifier: Apache-2.0

/// Generators of decimal numbers as text.
enum DecimalText {
  /// Returns 1 to 30 random digits, with leading and trailing zeros and a point at any position.
  static func any(_ random: inout Random) -> String {
    var digits = (0..<random.number(in: 1...30)).map { _ in Character("\(random.number(in: 0...9))")
    }
    if random.happens(oneIn: 4) {
      for index in 0..<random.number(in: 0...digits.count) { digits[index] = "0" }
    }
    if random.happens(oneIn: 4) {
      for index in random.number(in: 0...digits.count)..<digits.count { digits[index] = "0" }
    }
    if !random.happens(oneIn: 5) {
      digits.insert(".", at: random.number(in: 0...digits.count))
    }
    return String(digits)
  }

  /// Returns a number as sent by receivers, with few digits before and after the point.
  static func usual(_ random: inout Random) -> String {
    let whole = random.number(in: 0...99_999)
    let count = random.number(in: 1...9)
    return "\(whole)." + (0..<count).map { _ in "\(random.number(in: 0...9))" }.joined()
  }

  /// Returns a number whose product with the ratio is halfway between two doubles, exactly or
  /// nearly.
  ///
  /// If t is odd and multiplier * t has 54 bits, then multiplier * t divided by any power of two is
  /// halfway between two doubles. The decimal number is divisor * t * 5^k / 10^k.
  static func tie(times multiplier: UInt64, over divisor: UInt32, _ random: inout Random) -> String {
    let lowest: UInt64 = (1 << 53) / multiplier + 1
    let highest: UInt64 = ((1 << 54) - 1) / multiplier
    let odd = UInt64.random(in: lowest...highest, using: &random) | 1
    let exponent = random.number(in: 0...14)
    let product = (Natural.power(of: 5, exponent) * divisor).times(min(odd, highest | 1))
    var digits = product.digits
    digits = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -exponent))
    switch random.number(in: 0...3) {
    case 0: return digits + "1"
    case 1: return digits + "000"
    case 2: return digits.hasSuffix(".") ? digits : Self.beforeLast(digits)
    default: return digits
    }
  }

  /// Returns a slightly smaller number: the last nonzero digit is decremented and a 9 appended.
  private static func beforeLast(_ digits: String) -> String {
    var bytes = Array(digits.utf8)
    guard let index = bytes.lastIndex(where: { (0x31...0x39).contains($0) }) else { return digits }
    bytes[index] -= 1
    return String(decoding: bytes, as: UTF8.self) + "9"
  }
}
