// SPDX-License-Identifier: Apache-2.0

import Testing

/// Forbidden constructs in a module that processes untrusted bytes.
@Suite("Source rules of the NMEA module")
struct SourceRulesTests {
  /// The lines of code, without the content of strings and comments.
  private static let code = Result<[(place: String, text: String)], any Error> {
    try Sources.files().flatMap { file in
      file.lines.enumerated().map { index, line in
        let text = line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"").replacing(#///.*/#, with: "")
        return ("\(file.path):\(index + 1)", String(text))
      }
    }
  }

  @Test func `the NMEA module imports nothing`() throws {
    for line in try Self.code.get() {
      #expect(
        !line.text.contains(
          #/^\s*(@\w+(\(\w+\))?\s+)*(public|internal|private|package|fileprivate)?\s*import\b/#),
        "\(line.place)")
    }
  }

  @Test func `the NMEA module has no code that can stop the program`() throws {
    let forbidden =
      #/\b(fatalError|precondition|preconditionFailure|assert|assertionFailure|unsafeBitCast|unowned)\b|\b(try|as)!|[\w\)\]]!(?!=)/#
    for line in try Self.code.get() {
      #expect(!line.text.contains(forbidden), "\(line.place): \(line.text)")
    }
  }

  /// The reviewed lines with trapping operators, grouped by the reason why they cannot trap.
  private static let reviewed: Set<String> = [
    // Doubles.
    "guard value > Double(range.lowerBound) - 1, value < Double(range.upperBound) + 1 else {",
    "return letter == negative ? 0 - value : value",
    "if letter == negative { return 0 - value }",
    "let magnitude = numerator / (Double(divisor) * PowerOfTen.double(fractionCount))",
    "return isNegative ? 0 - magnitude : magnitude",
    "/ (60 * PowerOfTen.double(digits.fractionCount))",
    "climbMetersPerSecond = fields.decimal().map { 0 - $0 }",
    // The divisors are constants or powers of ten.
    "if mantissa < exact / multiplier, fractionCount <= 12, !isLong {",
    "let whole = digits.mantissa / scale", "let degrees = whole / 100",
    "return Stop(position: position &+ before / 8, exclusiveOr: fold(folded))",
    // Constants.
    "partial.reserveCapacity(Self.maximumLineLength + 8)",
    // Strings and arrays.
    "return value.count > 0 ? text + \"\" : text", "return isCut ? text + \"\" : text",
    "return checksum < 0x10 ? \"\" + digits : digits",
    "let completed = line.indices.map { line[$0] } + Self.missingChecksum",
  ]

  @Test func `the NMEA module uses trapping operators only in reviewed lines`() throws {
    let trapping = #/(^|\s)([-+*\/%]|<<|>>)=?\s/#
    var seen: Set<String> = []
    for line in try Self.code.get() {
      guard line.text.contains(trapping) else { continue }
      let text = String(line.text.drop { $0 == " " })
      seen.insert(text)
      #expect(Self.reviewed.contains(text), "\(line.place): \(text)")
    }
    #expect(Self.reviewed.subtracting(seen).isEmpty, "reviewed lines that no longer exist")
  }

  @Test func `the NMEA module converts numbers only in ways that cannot trap`() throws {
    // Narrowing conversions must truncate explicitly. Other conversions must widen, or be checked
    // before.
    let narrowing =
      #/\bU?Int(8|16|32)\((?!truncatingIfNeeded|bitPattern|ascii)(?<argument>[^()]*(\([^()]*\))?)\)/#
    let reviewed: Set<String> = [
      // UInt8 to UInt16 and UInt32, and a Double in range to Int32.
      "UInt16(first)", "UInt16(second)", "UInt16(last)", "UInt32(byte(at: offset) &- ASCII.zero)",
      "UInt32(digit)", "UInt32(Int32.max)", "Int32(value)",
    ]
    for line in try Self.code.get() {
      for match in line.text.matches(of: narrowing) {
        #expect(reviewed.contains(String(match.0)), "\(line.place): \(match.0)")
      }
    }
  }
}
