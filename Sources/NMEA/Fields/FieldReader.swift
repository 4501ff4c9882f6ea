// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of one sentence in their order.
///
/// An empty field is `nil`, and so is one behind the end: receivers cut sentences short. A field
/// that is not what it must be is `nil` too, and the first such is remembered in ``flaw``, so that
/// a sentence reads like its field table. The cursor always moves one field on.
///
/// The fields end at an `*`, which belongs to the bytes. No loop over digits or up to a comma gets
/// past it, so none asks for the end at every byte; that is also why unchecked reads are safe.
struct FieldReader: ~Escapable {
  /// The first field that is not what it must be.
  struct Flaw {
    var kind: SentenceError.Kind
    /// Its number, from 1.
    var field: Int
    var start: Int
    var end: Int
    /// Whether the sentence can no longer be trusted: its fields may be shifted.
    var isRefusal: Bool
  }

  let bytes: Span<UInt8>
  /// Where the first field starts.
  let first: Int
  /// Where the `*` stands that ends the last field.
  let end: Int
  /// Where the next field starts; beyond ``end`` when there is none.
  var position: Int
  var flaw: Flaw?

  /// Starts before the field at `start`; `nil` where there is no `*` at `end`, or not behind it.
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

  /// The byte at an offset of at most ``end``.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 { bytes[unchecked: offset] }

  /// Begins the next field; false where it is empty or missing, which leaves it behind.
  @inline(__always)
  mutating func begin() -> Bool {
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

  /// Leaves the field if it ends at `offset`; false where it goes on.
  @inline(__always)
  mutating func leave(at offset: Int) -> Bool {
    guard byte(at: offset) == ASCII.comma || offset == end else { return false }
    position = offset &+ 1
    return true
  }

  /// Passes over the next field.
  mutating func skip() {
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma { offset &+= 1 }
    position = min(offset, end) &+ 1
  }

  /// Notes what is wrong with the field that starts at ``position``, and leaves it.
  @inline(never)
  mutating func reject(_ kind: SentenceError.Kind, refusing isRefusal: Bool = false) {
    let start = position
    skip()
    note(kind, from: start, refusing: isRefusal)
  }

  /// Notes what is wrong with the field that starts at `start` and has just been left.
  ///
  /// The first flaw counts, but a refusal outweighs an earlier one that is not.
  @inline(never)
  mutating func note(_ kind: SentenceError.Kind, from start: Int, refusing isRefusal: Bool) {
    if let flaw, flaw.isRefusal || !isRefusal { return }
    // Behind the last field there is no comma to count.
    var field = start > end ? 2 : 1
    let start = min(start, end)
    for offset in first..<max(first, start) where bytes[offset] == ASCII.comma { field &+= 1 }
    flaw = Flaw(
      kind: kind, field: field, start: start, end: max(start, min(position &- 1, end)),
      isRefusal: isRefusal)
  }

  /// How many fields are left, empty ones included.
  func countRemaining() -> Int {
    guard position <= end else { return 0 }
    var count = 1
    for offset in position..<end where bytes[unchecked: offset] == ASCII.comma { count &+= 1 }
    return count
  }
}

extension FieldReader {
  /// The only letter of a field.
  @inline(__always)
  mutating func letter() -> UInt8? {
    guard begin() else { return nil }
    let found = byte(at: position)
    guard leave(at: position &+ 1) else {
      reject(.unexpectedLetter, refusing: true)
      return nil
    }
    return found
  }

  /// Reads a field that holds one given letter or nothing: the unit of the number before it.
  ///
  /// Anything else means that the fields are shifted, as by a decimal comma.
  @inline(__always)
  mutating func unit(_ letter: UInt8) {
    let start = position
    guard let found = self.letter(), found != letter else { return }
    note(.unexpectedLetter, from: start, refusing: true)
  }

  /// A mode indicator.
  @inline(__always)
  mutating func modeIndicator() -> ModeIndicator? {
    letter().map(ModeIndicator.init(rawValue:))
  }

  /// Up to eight bytes as they stand, the last in the lowest byte.
  mutating func code() -> UInt64? {
    guard begin() else { return nil }
    var packed: UInt64 = 0
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma {
      if offset &- position < 8 { packed = packed &<< 8 | UInt64(byte(at: offset)) }
      offset &+= 1
    }
    position = offset &+ 1
    return packed
  }

  /// The name of a transducer, with its letters in upper case.
  mutating func transducerName() -> TransducerName {
    var name = TransducerName()
    guard begin() else { return name }
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

  /// Everything that is left, commas included.
  mutating func rest() -> ShortText {
    guard position < end else { return ShortText() }
    defer { position = end &+ 1 }
    return ShortText(bytes.extracting(position..<end))
  }
}

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
