// SPDX-License-Identifier: Apache-2.0

/// The text of a TXT sentence, stored inline without an allocation.
public struct ShortText: Equatable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes kept; NMEA 0183 allows 61.
  public static let capacity = 80

  private var storage: [80 of UInt8] = .init(repeating: 0)

  /// The number of bytes kept.
  public var count: Int { Int(length) }

  private var length: UInt8 = 0

  /// Whether the text was longer than ``capacity``.
  public private(set) var isCut = false

  init() {}

  init(_ bytes: Span<UInt8>) {
    length = UInt8(truncatingIfNeeded: min(bytes.count, Self.capacity))
    isCut = bytes.count > Self.capacity
    for index in 0..<count { storage[index] = bytes[index] }
  }

  /// Returns whether the text begins with the bytes of an ASCII string.
  public func starts(with prefix: StaticString) -> Bool {
    guard prefix.hasPointerRepresentation else { return false }
    let length = prefix.utf8CodeUnitCount
    guard length <= count else { return false }
    for index in 0..<length where prefix.utf8Start[index] != storage[index] { return false }
    return true
  }

  /// The byte at an index; 0 after the last byte.
  subscript(index: Int) -> UInt8 { index < count ? storage[index] : 0 }

  /// Returns whether a word of capital letters stands at an offset, in capital or small letters.
  func matches(_ word: StaticString, at offset: Int) -> Bool {
    guard word.hasPointerRepresentation else { return false }
    for index in 0..<word.utf8CodeUnitCount {
      let byte = self[offset &+ index]
      let capital = byte &- 0x61 < 26 ? byte &- 0x20 : byte
      if capital != word.utf8Start[index] { return false }
    }
    return true
  }

  /// Two values are equal if they contain the same bytes and both or neither were cut.
  public static func == (left: ShortText, right: ShortText) -> Bool {
    guard left.count == right.count, left.isCut == right.isCut else { return false }
    for index in 0..<left.count where left.storage[index] != right.storage[index] { return false }
    return true
  }

  /// The text, with `?` for unprintable bytes.
  public var description: String {
    var text = ""
    for index in 0..<count { text.unicodeScalars.append(PrintableASCII.scalar(storage[index])) }
    return text
  }
}
