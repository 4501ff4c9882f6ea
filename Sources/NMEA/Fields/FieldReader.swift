// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of one sentence in order.
///
/// A field that is empty or missing is `nil`: receivers cut sentences short. A malformed field is
/// `nil`, too. The first malformed field is stored in ``flaw``, so that initializers of sentences
/// need no error handling. Each read advances the cursor by one field.
///
/// The fields end at an `*`, which is part of ``bytes``. Loops over digits or up to a comma stop at
/// this `*`, so unchecked reads are safe.
///
/// Swift 6.2 requires `@_lifetime(self: copy self)` on each mutating method with parameters.
struct FieldReader: ~Escapable {
  /// A malformed field.
  struct Flaw {
    var kind: SentenceError.Kind
    /// The field number, from 1.
    var field: Int
    var start: Int
    var end: Int
    /// Whether the whole sentence is refused, because its fields may be shifted.
    var isRefusal: Bool
  }

  let bytes: Span<UInt8>
  /// The offset of the first field.
  private(set) var first: Int
  /// The offset of the `*` that ends the last field.
  let end: Int
  /// The offset of the next field; greater than ``end`` after the last field.
  private(set) var position: Int
  private(set) var flaw: Flaw?

  /// Makes a reader of the fields from `start` to the `*` at `end`; `nil` if there is no `*` at
  /// `end`, or if `end` is before `start`.
  @_lifetime(copy bytes)
  @inline(__always)
  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    guard start >= 0, start <= end, end < bytes.count, bytes[end] == ASCII.asterisk else {
      return nil
    }
    self.bytes = bytes
    first = start
    position = start
    self.end = end
  }

  /// Whether all fields have been read.
  var isAtEnd: Bool { position > end }

  /// Returns the byte at an offset of at most ``end``, without a bounds check.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 { bytes[unchecked: offset] }

  /// Returns whether the next field has content; an empty or missing field is skipped.
  @inline(__always)
  mutating func beginField() -> Bool {
    guard position < end else {
      position = end &+ 1
      return false
    }
    if byte(at: position) == ASCII.comma {
      position &+= 1
      return false
    }
    return true
  }

  /// Moves to the next field if this field ends at `offset`; returns false otherwise.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func endField(at offset: Int) -> Bool {
    guard byte(at: offset) == ASCII.comma || offset == end else { return false }
    position = offset &+ 1
    return true
  }

  /// Skips the next field.
  mutating func skip() {
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma { offset &+= 1 }
    position = min(offset, end) &+ 1
  }

  /// Records a flaw of the field that starts at ``position``, and skips the field.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func reject(_ kind: SentenceError.Kind, refusing isRefusal: Bool = false) {
    let start = position
    skip()
    note(kind, from: start, refusing: isRefusal)
  }

  /// Refuses the sentence because of the field that starts at `start`, and skips the field.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func refuse(_ kind: SentenceError.Kind, from start: Int) {
    position = start
    reject(kind, refusing: true)
  }

  /// Records a flaw of the field that starts at `start` and has just been read.
  ///
  /// The first flaw is kept, but a refusal replaces an earlier flaw that is not a refusal.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func note(_ kind: SentenceError.Kind, from start: Int, refusing isRefusal: Bool) {
    if let flaw, flaw.isRefusal || !isRefusal { return }
    // A missing field starts after the `*`. The loop below counts only commas, so 1 is added.
    var field = start > end ? 2 : 1
    let start = min(start, end)
    for offset in first..<max(first, start) where bytes[offset] == ASCII.comma { field &+= 1 }
    flaw = Flaw(
      kind: kind, field: field, start: start, end: max(start, min(position &- 1, end)),
      isRefusal: isRefusal)
  }

  /// Reads a speed and its unit: `N` knots, `K` kilometres per hour, `M` metres per second.
  ///
  /// Returns metres per second; `nil` if the unit is empty or unknown.
  mutating func speed() -> Double? {
    let start = position
    skip()
    let unit = letter()
    let next = position
    position = start
    defer { position = next }
    return switch unit {
    case 0x4E: decimal(in: 0...100_000, times: 463, over: 900)
    case 0x4B: decimal(in: 0...100_000, times: 5, over: 18)
    case 0x4D: decimal(in: 0...100_000)
    default: nil
    }
  }

  /// Reads the sign and digits of a field after ``beginField()``; `nil` if it is not a number.
  @inline(__always)
  mutating func digits() -> DecimalDigits? {
    var offset = position
    var digits = DecimalDigits()
    let sign = byte(at: offset)
    if sign == ASCII.minus || sign == ASCII.plus {
      digits.isNegative = sign == ASCII.minus
      offset &+= 1
    }
    let start = offset
    digits.mantissa = appendDigits(from: &offset, to: 0)
    var count = offset &- start
    if byte(at: offset) == ASCII.period {
      offset &+= 1
      let point = offset
      digits.mantissa = appendDigits(from: &offset, to: digits.mantissa)
      digits.fractionCount = offset &- point
      count &+= digits.fractionCount
    }
    guard count > 0, byte(at: offset) == ASCII.comma || offset == end else { return nil }
    // Nineteen digits always fit into 64 bits; a longer number is read again into 128 bits.
    if count > 19 {
      guard let long = DecimalDigits(long: bytes.extracting(start..<offset)) else {
        return nil
      }
      let isNegative = digits.isNegative
      digits = long
      digits.isNegative = isNegative
    }
    position = offset &+ 1
    return digits
  }

  /// Reads the digits from `offset` on and appends them to the digits in `high`.
  @inline(__always)
  private func appendDigits(from offset: inout Int, to high: UInt64) -> UInt64 {
    var value = high
    while true {
      let digit = byte(at: offset) &- ASCII.zero
      guard digit < 10 else { return value }
      value = value &* 10 &+ UInt64(digit)
      offset &+= 1
    }
  }

  /// Returns the number of fields left, including empty fields.
  func countRemaining() -> Int {
    guard position <= end else { return 0 }
    var count = 1
    for offset in position..<end where bytes[unchecked: offset] == ASCII.comma { count &+= 1 }
    return count
  }
}

extension FieldReader {
  /// Whether the next field is empty or begins with a digit.
  var isNumberNext: Bool {
    position >= end || byte(at: position) == ASCII.comma || byte(at: position) &- ASCII.zero < 10
  }

  /// Moves to the first field after an address of more than eight bytes, whose end is unknown.
  mutating func endAddress() {
    skip()
    first = position
  }

  /// Moves to the first field after a `;`, or to the end if there is none.
  mutating func skipHeader() {
    while position < end, byte(at: position) != ASCII.semicolon { position &+= 1 }
    position &+= 1
  }

  /// Reads a field of exactly one character; a longer field causes the refusal of the sentence.
  @inline(__always)
  mutating func letter() -> UInt8? {
    guard beginField() else { return nil }
    let found = byte(at: position)
    guard endField(at: position &+ 1) else {
      reject(.unexpectedLetter, refusing: true)
      return nil
    }
    return found
  }

  /// Reads the field with the unit of a number; it must be empty or the given letter.
  ///
  /// The sentence is refused if this field has other content, because the fields are then shifted,
  /// for example by a decimal comma.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func unit(_ letter: UInt8) {
    let start = position
    guard let found = self.letter(), found != letter else { return }
    note(.unexpectedLetter, from: start, refusing: true)
  }

  /// Reads a mode indicator.
  @inline(__always)
  mutating func modeIndicator() -> ModeIndicator? {
    letter().map(ModeIndicator.init(rawValue:))
  }

  /// Reads the status of a position.
  @inline(__always)
  mutating func positionStatus() -> PositionStatus? {
    letter().map(PositionStatus.init(rawValue:))
  }

  /// Reads the first eight bytes of a field unchanged, the last byte in the lowest bits.
  mutating func code() -> UInt64? {
    guard beginField() else { return nil }
    var packed: UInt64 = 0
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma {
      if offset &- position < 8 { packed = packed &<< 8 | UInt64(byte(at: offset)) }
      offset &+= 1
    }
    position = offset &+ 1
    return packed
  }

  /// Reads the name of a transducer and converts it to upper case.
  mutating func transducerName() -> TransducerName {
    var name = TransducerName()
    guard beginField() else { return name }
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma {
      let byte = byte(at: offset)
      let index = offset &- position
      if index < TransducerName.capacity {
        name[index] = byte &- 0x61 < 26 ? byte &- 0x20 : byte
      }
      offset &+= 1
    }
    position = offset &+ 1
    return name
  }

  /// Reads all remaining fields as one text, including commas.
  mutating func rest() -> ShortText {
    guard position < end else { return ShortText() }
    defer { position = end &+ 1 }
    return ShortText(bytes.extracting(position..<end))
  }
}

extension FieldReader {
  /// Reads a whole number from 0 to a maximum.
  ///
  /// Some receivers add a fraction, which is cut off. If a fraction would mean that the fields are
  /// shifted, pass false for `allowsFraction`; a fraction is then a flaw.
  ///
  /// The loop over one to three digits is unrolled, because nearly every sentence has such fields,
  /// and a GSV has sixteen such fields.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func integer(upTo maximum: UInt32, allowsFraction: Bool = true) -> UInt32? {
    guard position < end else {
      position = end &+ 1
      return nil
    }
    var offset = position
    // A digit is checked for before a comma, because few of these fields are empty.
    var value = UInt32(byte(at: offset) &- ASCII.zero)  // No trap: widens a byte.
    if value < 10 {
      offset &+= 1
      var digit = byte(at: offset) &- ASCII.zero
      if digit < 10 {
        value = value &* 10 &+ UInt32(digit)  // No trap: widens a byte.
        offset &+= 1
        digit = byte(at: offset) &- ASCII.zero
        if digit < 10 {
          value = value &* 10 &+ UInt32(digit)  // No trap: widens a byte.
          offset &+= 1
        }
      }
      if value <= maximum, endField(at: offset) { return value }
    } else if endField(at: offset) {
      return nil
    }
    return unusualInteger(upTo: maximum, allowsFraction)
  }

  /// Reads a whole number that has more digits, a sign or a fraction, or is out of range.
  @_lifetime(self: copy self)
  @inline(never)
  private mutating func unusualInteger(upTo maximum: UInt32, _ allowsFraction: Bool) -> UInt32? {
    if !allowsFraction, hasPoint {
      reject(.malformedNumber)
      return nil
    }
    // No trap: the constant fits.
    return signedInteger(in: 0...Int32(truncatingIfNeeded: min(maximum, UInt32(Int32.max))))
      .map { UInt32(bitPattern: $0) }
  }

  /// Whether the next field contains a decimal point.
  private var hasPoint: Bool {
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma {
      if byte(at: offset) == ASCII.period { return true }
      offset &+= 1
    }
    return false
  }

  /// Reads a whole number with an optional sign; a fraction is cut off.
  @_lifetime(self: copy self)
  mutating func signedInteger(in range: ClosedRange<Int32>) -> Int32? {
    let start = position
    guard let value = decimal() else { return nil }
    // No trap: Doubles. Beyond the range, the conversion would trap, as on 10^18.
    guard value > Double(range.lowerBound) - 1, value < Double(range.upperBound) + 1 else {
      note(.outOfRange, from: start, refusing: false)
      return nil
    }
    return Int32(value)  // No trap: the range was checked.
  }

  /// Reads a signal or system id: one hexadecimal digit, or two.
  mutating func hexadecimal() -> UInt8? {
    guard beginField() else { return nil }
    guard let first = HexDigit.value(byte(at: position)) else {
      reject(.malformedNumber)
      return nil
    }
    if endField(at: position &+ 1) { return first }
    guard let second = HexDigit.value(byte(at: position &+ 1)), endField(at: position &+ 2) else {
      reject(.malformedNumber)
      return nil
    }
    return first &<< 4 | second
  }

  /// Reads the system id of a GSA: one hexadecimal digit.
  ///
  /// Longer content is `nil` without a flaw: some receivers send a dilution in this field.
  mutating func systemID() -> UInt8? {
    guard beginField() else { return nil }
    guard let digit = HexDigit.value(byte(at: position)), endField(at: position &+ 1) else {
      skip()
      return nil
    }
    return digit
  }

  /// Reads the field at `start` again, as a signal id instead of a number.
  ///
  /// Removes a flaw found in this field, because the rules for numbers do not apply to the field.
  @_lifetime(self: copy self)
  mutating func rereadAsSignalID(from start: Int) -> UInt8? {
    guard start < end else { return nil }
    if let flaw, flaw.start >= start { self.flaw = nil }
    position = start
    let signal = hexadecimal()
    if !isAtEnd { skip() }
    return signal
  }
}
