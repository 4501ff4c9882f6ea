// SPDX-License-Identifier: Apache-2.0

extension TOMLCursor {
  /// Whether a quote follows as word processors and web pages write it.
  var isAtTypographicQuote: Bool {
    isAt("\u{201C}") || isAt("\u{201D}") || isAt("\u{201E}") || isAt("\u{2018}")
      || isAt("\u{2019}") || isAt("\u{00AB}") || isAt("\u{00BB}")
  }

  /// Takes a text in quotes of any sort; `nil` where there is none.
  mutating func takeString() throws(TOMLFault) -> String? {
    let text: [UInt8]
    if take("\"\"\"") {
      text = try long(UInt8(ascii: "\""))
    } else if take("'''") {
      text = try long(UInt8(ascii: "'"))
    } else if take("\"") {
      text = try short(UInt8(ascii: "\""))
    } else if take("'") {
      text = try short(UInt8(ascii: "'"))
    } else {
      return nil
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// On one line.
  private mutating func short(_ quote: UInt8) throws(TOMLFault) -> [UInt8] {
    var text: [UInt8] = []
    while let byte = next, byte != .newline, !isAt("\r\n") {
      if byte.isControl { throw fault("a control character in a text; write it as \\u00..") }
      takeByte()
      if byte == quote { return text }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        text += try escaped()
      } else {
        text.append(byte)
      }
    }
    throw fault("the text does not end; the quote after it is missing")
  }

  /// On several lines, with three quotes on each side.
  private mutating func long(_ quote: UInt8) throws(TOMLFault) -> [UInt8] {
    let isBasic = quote == UInt8(ascii: "\"")
    let line = line
    var text: [UInt8] = []
    // A text begins on the next line where its own is empty.
    _ = takeNewline()
    while let byte = next {
      if isBasic ? isAt("\"\"\"") : isAt("'''") {
        offset(by: 3)
        // Up to two quotes more are the text's.
        for _ in 0..<2 where next == quote {
          text.append(quote)
          takeByte()
        }
        return text
      }
      if takeNewline() {
        text.append(.newline)
      } else if byte.isControl {
        throw fault("a control character in a text; write it as \\u00..")
      } else {
        takeByte()
        if byte != UInt8(ascii: "\\") || !isBasic {
          text.append(byte)
        } else if try !skipLineEnd() {
          text += try escaped()
        }
      }
    }
    throw TOMLFault(line: line, text: "the text does not end; three quotes are missing")
  }

  private mutating func offset(by count: Int) {
    for _ in 0..<count { takeByte() }
  }

  /// After a backslash that ends a line: the end of the line, and all blanks that follow.
  private mutating func skipLineEnd() throws(TOMLFault) -> Bool {
    guard let byte = next, byte <= 0x20 else { return false }
    skipBlanks()
    guard takeNewline() else { throw fault("a backslash before blanks has to end the line") }
    repeat { skipBlanks() } while takeNewline()
    return true
  }

  /// What follows a backslash.
  private mutating func escaped() throws(TOMLFault) -> [UInt8] {
    let place = offset - 1
    switch next {
    case UInt8(ascii: "u")?: return try scalar(digits: 4)
    case UInt8(ascii: "U")?: return try scalar(digits: 8)
    default: break
    }
    let meanings: [(UInt8, UInt8)] = [
      (UInt8(ascii: "b"), 0x08), (UInt8(ascii: "t"), 0x09), (UInt8(ascii: "n"), 0x0A),
      (UInt8(ascii: "f"), 0x0C), (UInt8(ascii: "r"), 0x0D), (UInt8(ascii: "\""), 0x22),
      (UInt8(ascii: "\\"), 0x5C),
    ]
    guard let byte = next, let meaning = meanings.first(where: { $0.0 == byte }) else {
      throw fault("a backslash has to be written twice, or the text put in '...'", at: place)
    }
    takeByte()
    return [meaning.1]
  }

  /// `uXXXX` or `UXXXXXXXX`.
  private mutating func scalar(digits count: Int) throws(TOMLFault) -> [UInt8] {
    let place = offset - 1
    takeByte()
    var (number, taken) = (UInt32(0), 0)
    while taken < count, let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) {
      // Eight digits fill it.
      number = number << 4 | UInt32(truncatingIfNeeded: digit)
      takeByte()
      taken += 1
    }
    guard taken == count, let scalar = Unicode.Scalar(number) else {
      throw fault("\\u takes four and \\U eight digits of a character's number", at: place)
    }
    guard number != 0 else { throw fault("a NUL in a text", at: place) }
    return Array(String(Character(scalar)).utf8)
  }
}
