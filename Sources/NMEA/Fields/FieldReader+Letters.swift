// SPDX-License-Identifier: Apache-2.0

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
