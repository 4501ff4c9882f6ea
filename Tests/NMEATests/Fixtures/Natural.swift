// SPDX-License-Identifier: Apache-2.0

/// A whole number of any size, for exact reference values.
struct Natural: Comparable {
  /// Limbs of 32 bits, the lowest first; the highest is not 0.
  private var limbs: [UInt32]

  init(_ value: UInt64) {
    limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
    trim()
  }

  /// Reads decimal digits and ignores other characters.
  init(digits: String) {
    self.init(0)
    for digit in digits.utf8 where (0x30...0x39).contains(digit) {
      self = self * 10
      add(UInt32(digit - 0x30))
    }
  }

  static func power(of base: UInt32, _ exponent: Int) -> Natural {
    (0..<exponent).reduce(Natural(1)) { power, _ in power * base }
  }

  static func * (left: Natural, right: UInt32) -> Natural {
    var product = left
    var carry: UInt64 = 0
    for index in product.limbs.indices {
      let sum = UInt64(product.limbs[index]) * UInt64(right) + carry
      product.limbs[index] = UInt32(truncatingIfNeeded: sum)
      carry = sum >> 32
    }
    product.limbs.append(UInt32(carry))
    product.trim()
    return product
  }

  /// Multiplies by a number of up to 64 bits.
  func times(_ factor: UInt64) -> Natural {
    var product = (self * UInt32(factor >> 32)).shifted(by: 32)
    product.add(self * UInt32(truncatingIfNeeded: factor))
    return product
  }

  func shifted(by bits: Int) -> Natural {
    var result = self * (1 << UInt32(bits % 32))
    if !result.limbs.isEmpty {
      result.limbs.insert(contentsOf: [UInt32](repeating: 0, count: bits / 32), at: 0)
    }
    return result
  }

  static func < (left: Natural, right: Natural) -> Bool {
    left.limbs.count != right.limbs.count
      ? left.limbs.count < right.limbs.count
      : left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
  }

  var isZero: Bool { limbs.isEmpty }

  /// The decimal digits.
  var digits: String {
    var rest = self
    var digits: [UInt8] = []
    while !rest.isZero {
      var remainder: UInt64 = 0
      for index in rest.limbs.indices.reversed() {
        remainder = remainder << 32 | UInt64(rest.limbs[index])
        rest.limbs[index] = UInt32(remainder / 10)
        remainder %= 10
      }
      digits.append(UInt8(remainder) + 0x30)
      rest.trim()
    }
    return digits.isEmpty ? "0" : String(decoding: digits.reversed(), as: UTF8.self)
  }

  private mutating func add(_ other: UInt32) { add(Natural(UInt64(other))) }

  private mutating func add(_ other: Natural) {
    var carry: UInt64 = 0
    for index in 0..<max(limbs.count, other.limbs.count) {
      if index == limbs.count { limbs.append(0) }
      carry += UInt64(limbs[index])
      if index < other.limbs.count { carry += UInt64(other.limbs[index]) }
      limbs[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  private mutating func trim() {
    while limbs.last == 0 { limbs.removeLast() }
  }
}
