// SPDX-License-Identifier: Apache-2.0

/// A place in a TOML text, and the line it is on.
struct TOMLCursor {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark is no part of the first key.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether the next byte was this one, which is then behind.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func skipByte() {
    if next == UInt8(ascii: "\n") { line += 1 }
    offset = min(offset + 1, bytes.count)
  }

  mutating func skipBlanks() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { offset += 1 }
  }

  /// Everything to the end of the line, which is then behind.
  mutating func skipLine() {
    while let byte = next {
      skipByte()
      if byte == UInt8(ascii: "\n") { return }
    }
  }

  /// Blanks, ends of lines and comments; whether anything follows.
  @discardableResult
  mutating func skipBlankLines() -> Bool {
    while let byte = next {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): skipByte()
      case UInt8(ascii: "#"): skipLine()
      default: return true
      }
    }
    return false
  }

  /// A number, a word, or what else is not in quotes.
  mutating func bareValue() -> ArraySlice<UInt8> {
    let start = offset
    while let byte = next {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"),
        UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        return bytes[start..<offset]
      default: offset += 1
      }
    }
    return bytes[start..<offset]
  }

  /// One part of a key; `nil` where there is none.
  mutating func keyPart() throws(TOMLFault) -> String? {
    switch next {
    case UInt8(ascii: "\"")?, UInt8(ascii: "'")?:
      return String(decoding: try quoted(), as: UTF8.self)
    default:
      let start = offset
      while let byte = next, Self.isBare(byte) { offset += 1 }
      return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
    }
  }

  /// A text in quotes of any sort; whether there was one.
  mutating func skipString() throws(TOMLFault) -> Bool {
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return false
    }
    let isLong =
      offset + 2 < bytes.count && bytes[offset + 1] == quote && bytes[offset + 2] == quote
    if isLong { try skipLong(quote) } else { _ = try quoted() }
    return true
  }

  private mutating func skipLong(_ quote: UInt8) throws(TOMLFault) {
    offset += 3
    var count = 0
    while let byte = next {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        offset += 1
        _ = try escaped()
        count = 0
        continue
      }
      // Up to two quotes may stand before the three that end it.
      if byte != quote, count >= 3 { return }
      count = byte == quote ? count + 1 : 0
      skipByte()
      if count == 5 { return }
    }
  }

  /// What stands in quotes on one line, without its escapes.
  private mutating func quoted() throws(TOMLFault) -> [UInt8] {
    let quote = next
    offset += 1
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\n") {
      offset += 1
      if byte == quote { break }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        text += try escaped()
      } else {
        text.append(byte)
      }
    }
    return text
  }

  /// What follows a backslash.
  private mutating func escaped() throws(TOMLFault) -> [UInt8] {
    guard let byte = next else { return [] }
    skipByte()
    switch byte {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "u"): return try scalar(digits: 4)
    case UInt8(ascii: "U"): return try scalar(digits: 8)
    default: return [byte]
    }
  }

  private mutating func scalar(digits count: Int) throws(TOMLFault) -> [UInt8] {
    let digits = bytes[offset..<min(offset + count, bytes.count)]
    guard digits.count == count, digits.allSatisfy(\.isHexadecimalDigit),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return [] }
    // The parser hands texts over as C does, and they would end there unseen.
    guard number != 0 else { throw TOMLFault(line: line, text: "a NUL in a text") }
    offset += count
    return Unicode.Scalar(number).map { Array(String(Character($0)).utf8) } ?? []
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
