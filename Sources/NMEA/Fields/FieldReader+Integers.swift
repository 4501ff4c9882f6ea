// SPDX-License-Identifier: Apache-2.0

extension FieldReader {
  /// A whole number up to a maximum.
  ///
  /// A fraction that some receivers add is cut off, but where it would tell that the number is
  /// another one in the wrong place.
  ///
  /// Of one to three digits in nearly every sentence, and GSV has sixteen: so written out.
  @inline(__always)
  mutating func integer(upTo maximum: UInt32, allowsFraction: Bool = true) -> UInt32? {
    guard position < end else {
      position = end &+ 1
      return nil
    }
    var offset = position
    // A digit is looked for before a comma, because few of these fields are empty.
    var value = UInt32(byte(at: offset) &- ASCII.zero)
    if value < 10 {
      offset &+= 1
      var digit = byte(at: offset) &- ASCII.zero
      if digit < 10 {
        value = value &* 10 &+ UInt32(digit)
        offset &+= 1
        digit = byte(at: offset) &- ASCII.zero
        if digit < 10 {
          value = value &* 10 &+ UInt32(digit)
          offset &+= 1
        }
      }
      if value <= maximum, leave(at: offset) { return value }
    } else if leave(at: offset) {
      return nil
    }
    return unusualInteger(upTo: maximum, allowsFraction)
  }

  /// A whole number of more digits, with a sign or a fraction, or out of its range.
  @inline(never)
  private mutating func unusualInteger(upTo maximum: UInt32, _ allowsFraction: Bool) -> UInt32? {
    if !allowsFraction, hasPoint {
      reject(.malformedNumber)
      return nil
    }
    return signedInteger(in: 0...Int32(truncatingIfNeeded: min(maximum, UInt32(Int32.max))))
      .map { UInt32(bitPattern: $0) }
  }

  /// Whether there is a point in the next field.
  private var hasPoint: Bool {
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma {
      if byte(at: offset) == ASCII.period { return true }
      offset &+= 1
    }
    return false
  }

  /// A whole number with a sign.
  ///
  /// A fraction is cut off.
  mutating func signedInteger(in range: ClosedRange<Int32>) -> Int32? {
    let start = position
    guard let value = decimal() else { return nil }
    // Compared before it is converted: a wire may say 10^18.
    guard value > Double(range.lowerBound) - 1, value < Double(range.upperBound) + 1 else {
      note(.outOfRange, from: start, refusing: false)
      return nil
    }
    return Int32(value)
  }

  /// One hexadecimal digit, or two: a signal or system id.
  mutating func hexadecimal() -> UInt8? {
    guard begin() else { return nil }
    guard let first = HexDigit.value(byte(at: position)) else {
      reject(.malformedNumber)
      return nil
    }
    if leave(at: position &+ 1) { return first }
    guard let second = HexDigit.value(byte(at: position &+ 1)), leave(at: position &+ 2) else {
      reject(.malformedNumber)
      return nil
    }
    return first &<< 4 | second
  }

  /// The system id of GSA, one hexadecimal digit.
  ///
  /// Some receivers that add no system id send more digits of a dilution here; that is not one.
  mutating func systemID() -> UInt8? {
    guard begin() else { return nil }
    guard let digit = HexDigit.value(byte(at: position)), leave(at: position &+ 1) else {
      skip()
      return nil
    }
    return digit
  }

  /// Reads the field at `start` again, which turned out to be a signal id and not a number.
  ///
  /// What was found wrong with it, or with the one behind it, was measured by the wrong rule.
  mutating func againAsSignalID(from start: Int) -> UInt8? {
    guard start < end else { return nil }
    if let flaw, flaw.start >= start { self.flaw = nil }
    position = start
    let signal = hexadecimal()
    if !isAtEnd { skip() }
    return signal
  }
}
