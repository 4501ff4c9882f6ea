// SPDX-License-Identifier: Apache-2.0

/// A place in a text, and the line it is on.
struct TOMLCursor {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var line = 1
  private var lineStart = 0

  /// Begins with a text that is UTF-8 and holds no NUL, at which paths would end unseen.
  init(_ bytes: [UInt8]) throws(TOMLFault) {
    self.bytes = bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw TOMLFault(line: 1, text: "UTF-16; save the file as UTF-8")
    }
    if let offset = bytes.firstIndex(of: 0) {
      throw TOMLFault(
        line: Self.line(of: offset, bytes), text: "a NUL byte; a configuration is text")
    }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      let place = error.byteOffsets.lowerBound
      let start = bytes[..<place].lastIndex(of: .newline).map { $0 + 1 } ?? 0
      throw TOMLFault(
        line: Self.line(of: place, bytes), column: Self.count(bytes[start..<place]) + 1,
        text: "not UTF-8; save the file as UTF-8")
    }
    // A byte order mark is no part of the first key.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      lineStart = 3
    }
  }

  private static func line(of offset: Int, _ bytes: [UInt8]) -> Int {
    1 + bytes[..<offset].count { $0 == .newline }
  }

  /// The next byte; `nil` at the end.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// An error at this place.
  func fault(_ text: String) -> TOMLFault { fault(text, at: offset) }

  /// An error at a place of this line.
  func fault(_ text: String, at place: Int) -> TOMLFault {
    let before = Self.count(bytes[min(lineStart, place)..<place])
    return TOMLFault(line: line, column: before + 1, text: text)
  }

  /// How many characters these are: bytes that go on with one are none of their own.
  private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 & 0xC0 != 0x80 }
  }

  /// Whether the text goes on with some characters.
  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { wanted in
      offset + wanted.count <= bytes.count
        && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    }
  }

  /// Whether the next characters were these, which are then behind; none of them ends a line.
  mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    offset += text.utf8CodeUnitCount
    return true
  }

  /// Takes one byte; `nil` at the end.
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

  /// Takes bytes while they fit; none of them ends a line.
  mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = offset
    while let byte = next, byte != .newline, fits(byte) { offset += 1 }
    return bytes[start..<offset]
  }

  mutating func skipBlanks() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { offset += 1 }
  }

  /// Takes the end of a line; whether there was one.
  mutating func takeNewline() -> Bool {
    if isAt("\r\n") { offset += 1 }
    guard next == .newline else { return false }
    takeByte()
    return true
  }

  /// Takes a comment, where there is one.
  mutating func skipComment() throws(TOMLFault) {
    guard next == UInt8(ascii: "#") else { return }
    while let byte = next, byte != .newline, !isAt("\r\n") {
      guard !byte.isControl else { throw fault("a control character in a comment") }
      offset += 1
    }
  }

  /// Blanks, ends of lines and comments; whether anything follows.
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

  /// Whether it may stand in no text and no comment.
  var isControl: Bool { (self < 0x20 && self != UInt8(ascii: "\t")) || self == 0x7F }

  var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
