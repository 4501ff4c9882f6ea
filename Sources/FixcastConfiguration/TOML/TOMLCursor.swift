// SPDX-License-Identifier: Apache-2.0

/// A position in a TOML text.
struct TOMLCursor {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var line = 1
  private var lineStart = 0

  /// Creates a cursor.
  ///
  /// Rejects text that is not UTF-8, and text with a NUL character, which would truncate a path.
  init(_ bytes: [UInt8]) throws(TOMLFault) {
    self.bytes = bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw TOMLFault(line: 1, text: "the file is UTF-16; save it as UTF-8")
    }
    if let offset = bytes.firstIndex(of: 0) {
      throw TOMLFault(
        line: Self.line(of: offset, bytes), text: "NUL byte; a configuration must be text")
    }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      let place = error.byteOffsets.lowerBound
      let start = bytes[..<place].lastIndex(of: .newline).map { $0 + 1 } ?? 0
      throw TOMLFault(
        line: Self.line(of: place, bytes), column: Self.count(bytes[start..<place]) + 1,
        text: "the file is not UTF-8; save it as UTF-8")
    }
    // Skip a byte order mark, which is not part of the first key.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      lineStart = 3
    }
  }

  private static func line(of offset: Int, _ bytes: [UInt8]) -> Int {
    1 + bytes[..<offset].count { $0 == .newline }
  }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func fault(_ text: String) -> TOMLFault { fault(text, at: offset) }

  func fault(_ text: String, at place: Int) -> TOMLFault {
    let before = Self.count(bytes[min(lineStart, place)..<place])
    return TOMLFault(line: line, column: before + 1, text: text)
  }

  /// Returns the number of characters: the bytes except UTF-8 continuation bytes.
  private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 & 0xC0 != 0x80 }
  }

  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { wanted in
      offset + wanted.count <= bytes.count
        && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    }
  }

  /// Skips `text`, which has no line end, and returns true; returns false if other text is next.
  mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    offset += text.utf8CodeUnitCount
    return true
  }

  @discardableResult
  mutating func takeByte() -> UInt8? {
    guard let byte = next else { return nil }
    offset += 1
    if byte == .newline {
      line += 1
      lineStart = offset
    }
    return byte
  }

  /// Takes bytes of the current line while `fits` returns true.
  mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = offset
    while let byte = next, byte != .newline, fits(byte) { offset += 1 }
    return bytes[start..<offset]
  }

  mutating func skipBlanks() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { offset += 1 }
  }

  /// Skips a line end and returns true; returns false if no line end is next.
  mutating func takeNewline() -> Bool {
    if isAt("\r\n") { offset += 1 }
    guard next == .newline else { return false }
    takeByte()
    return true
  }

  mutating func skipComment() throws(TOMLFault) {
    guard next == UInt8(ascii: "#") else { return }
    while let byte = next, byte != .newline, !isAt("\r\n") {
      guard !byte.isControl else { throw fault("control character in a comment") }
      offset += 1
    }
  }

  /// Skips blanks, line ends and comments; returns whether more text follows.
  @discardableResult
  mutating func skipBlankLines() throws(TOMLFault) -> Bool {
    repeat {
      skipBlanks()
      try skipComment()
    } while takeNewline()
    return next != nil
  }
}

extension UInt8 {
  static let newline = UInt8(ascii: "\n")

  /// Whether TOML forbids the byte in strings and comments.
  var isControl: Bool { (self < 0x20 && self != UInt8(ascii: "\t")) || self == 0x7F }

  var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension TOMLCursor {
  var isAtTypographicQuote: Bool {
    isAt("\u{201C}") || isAt("\u{201D}") || isAt("\u{201E}") || isAt("\u{2018}")
      || isAt("\u{2019}") || isAt("\u{00AB}") || isAt("\u{00BB}")
  }

  /// Takes a string in quotes of any kind; returns `nil` if the next character is not a quote.
  mutating func takeString() throws(TOMLFault) -> String? {
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return nil
    }
    let isLong = isAt("\"\"\"") || isAt("'''")
    return String(decoding: try text(quote, isLong: isLong), as: UTF8.self)
  }

  /// Takes a string in single quotes or, if `isLong` is true, in triple quotes.
  private mutating func text(_ quote: UInt8, isLong: Bool) throws(TOMLFault) -> [UInt8] {
    let (firstLine, hasEscapes) = (line, quote == UInt8(ascii: "\""))
    offset += isLong ? 3 : 1
    var text: [UInt8] = []
    // A line end directly after triple quotes is not part of the string.
    if isLong { _ = takeNewline() }
    while let byte = next {
      if isAt("\n") || isAt("\r\n") {
        guard isLong else { break }
        _ = takeNewline()
        text.append(.newline)
      } else if byte == quote, !isLong || isAt(hasEscapes ? "\"\"\"" : "'''") {
        offset += isLong ? 3 : 1
        // One or two quotes before the closing quotes belong to the string.
        for _ in 0..<2 where isLong && next == quote {
          text.append(quote)
          offset += 1
        }
        return text
      } else if byte.isControl {
        throw fault("control character in a string; escape it as \\u00..")
      } else {
        takeByte()
        if byte != UInt8(ascii: "\\") || !hasEscapes {
          text.append(byte)
        } else {
          let isSkipped = isLong ? try skipLineEnd() : false
          if !isSkipped { text += try escaped() }
        }
      }
    }
    guard isLong else { throw fault("unterminated string; the closing quote is missing") }
    throw TOMLFault(line: firstLine, text: "unterminated string; three closing quotes are missing")
  }

  /// Skips a line end after a backslash, and all blanks and line ends that follow.
  ///
  /// Returns false if the next character is not a blank or a line end.
  private mutating func skipLineEnd() throws(TOMLFault) -> Bool {
    guard let byte = next, byte <= 0x20 else { return false }
    skipBlanks()
    guard takeNewline() else { throw fault("a backslash before blanks must end the line") }
    repeat { skipBlanks() } while takeNewline()
    return true
  }

  /// Takes the part of an escape sequence after the backslash, and returns the character.
  private mutating func escaped() throws(TOMLFault) -> [UInt8] {
    let place = offset - 1
    switch next {
    case UInt8(ascii: "u")?: return try scalar(digits: 4)
    case UInt8(ascii: "U")?: return try scalar(digits: 8)
    default: break
    }
    guard let byte = next, let index = Array("btnfr\"\\".utf8).firstIndex(of: byte) else {
      throw fault("invalid escape; write \\\\ or put the text in single quotes", at: place)
    }
    takeByte()
    return [Array("\u{08}\t\n\u{0C}\r\"\\".utf8)[index]]
  }

  /// Takes the part of `\uXXXX` or `\UXXXXXXXX` after the backslash.
  private mutating func scalar(digits count: Int) throws(TOMLFault) -> [UInt8] {
    let place = offset - 1
    takeByte()
    var (number, taken) = (UInt32(0), 0)
    while taken < count, let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) {
      // Eight hexadecimal digits fill the 32 bits.
      number = number << 4 | UInt32(truncatingIfNeeded: digit)
      takeByte()
      taken += 1
    }
    guard taken == count, let scalar = Unicode.Scalar(number) else {
      throw fault(
        "\\u needs four hexadecimal digits of a valid code point, \\U eight", at: place)
    }
    guard number != 0 else { throw fault("NUL character in a string", at: place) }
    return Array(String(Character(scalar)).utf8)
  }
}
