// SPDX-License-Identifier: Apache-2.0

/// The first bytes of a field or line, unchanged and stored inline without an allocation.
public struct RawValue: Equatable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes kept.
  public static let capacity = 24

  /// The number of bytes kept.
  public let count: Int

  /// Whether the field or line has more bytes than are kept.
  public let isCut: Bool

  private let words: (UInt64, UInt64, UInt64)

  init() {
    words = (0, 0, 0)
    count = 0
    isCut = false
  }

  init(_ bytes: Span<UInt8>) {
    count = min(bytes.count, Self.capacity)
    isCut = bytes.count > Self.capacity
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    for index in 0..<count {
      let byte = UInt64(bytes[index]) &<< (UInt64(index & 7) &* 8)
      switch index &>> 3 {
      case 0: first |= byte
      case 1: second |= byte
      default: third |= byte
      }
    }
    words = (first, second, third)
  }

  /// Two values are equal if they contain the same bytes and both or neither were cut.
  public static func == (left: RawValue, right: RawValue) -> Bool {
    left.words == right.words && left.count == right.count && left.isCut == right.isCut
  }

  /// Whether the bytes begin like a sentence: `$` or `!`, at least three capital letters or digits,
  /// and a comma.
  public var isAddressed: Bool {
    guard count > 0, byte(at: 0) == ASCII.dollar || byte(at: 0) == ASCII.exclamationMark else {
      return false
    }
    for index in 1..<count {
      let byte = byte(at: index)
      if byte == ASCII.comma { return index > 3 }
      guard (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) else { return false }
    }
    return false
  }

  private func byte(at index: Int) -> UInt8 {
    let word = index < 8 ? words.0 : index < 16 ? words.1 : words.2
    return UInt8(truncatingIfNeeded: word &>> (UInt64(index & 7) &* 8))
  }

  /// The bytes as text, with `?` for unprintable bytes, and with `...` at the end if cut.
  public var description: String {
    var text = ""
    for index in 0..<count {
      text.unicodeScalars.append(PrintableASCII.scalar(byte(at: index)))
    }
    return isCut ? text + "..." : text  // No trap: strings.
  }
}
