// SPDX-License-Identifier: Apache-2.0

import Testing

/// Forbidden constructs in a module that processes untrusted bytes.
@Suite("Source rules of the NMEA module")
struct SourceRulesTests {
  /// Returns a line with the content of its strings removed.
  private static func withoutStrings(_ line: String) -> String { line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"") }

  /// Returns a line without its comment.
  private static func withoutComment(_ line: String) -> String { line.replacing(#///.*/#, with: "") }

  /// The lines of code.
  private static let code = Result<[(place: String, text: String)], any Error> {
    try Sources.files().flatMap { file in
      file.lines.enumerated().map { ("\(file.path):\($0 + 1)", withoutComment(withoutStrings($1))) }
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

  /// Returns the numbers of the lines that could trap and have no comment `// No trap: REASON`, and of the lines that
  /// have such a comment and could not trap.
  private static func misannotatedLines(in lines: [String]) -> [Int] {
    // Operators that trap on overflow or division by zero, and conversions that trap if the number does not fit.
    let trapping = #/(^|\s)([-+*\/%]|<<|>>)=?\s|\bU?Int(8|16|32)\((?!truncatingIfNeeded|bitPattern|ascii)/#
    var found: [Int] = []
    var isAnnotatedAbove = false
    for (index, line) in lines.map(withoutStrings).enumerated() {
      let code = withoutComment(line)
      let isAnnotated = isAnnotatedAbove || line.contains(#/// No trap: \S/#)
      // A comment on a line of its own applies to the next line of code.
      isAnnotatedAbove = isAnnotated && code.allSatisfy(\.isWhitespace)
      if !isAnnotatedAbove, code.contains(trapping) != isAnnotated { found.append(index + 1) }
    }
    return isAnnotatedAbove ? found + [lines.count] : found
  }

  @Test func `lines of the NMEA module that could trap, and no others, have a comment why they do not`() throws {
    for file in try Sources.files() {
      let places = Self.misannotatedLines(in: file.lines).map { "\(file.path):\($0): \(file.lines[$0 - 1])" }
      #expect(places.isEmpty)
    }
  }

  @Test(
    arguments: [
      (["let a = b + c"], [1]), (["let a = b / c // No trap: REASON"], []), (["a -= 1  // No trap: Doubles."], []),
      (["// No trap: strings.", "let a = b + c"], []), (["// No trap: strings.", "// Other.", "", "a += b"], []),
      (["a = b", "  % c"], [2]), (["a = b * c  // No trap:"], [1]), (["a = b << c  // Checked."], [1]),
      (["a = UInt8(b)"], [1]), (["a = Int32(", "  b(c(d)))"], [1]), (["a = UInt16(b)  // No trap: widens."], []),
      (["a = b  // No trap: Doubles."], [1]), (["// No trap: Doubles.", "a = b", "a = b + c"], [2, 3]),
      (["a = b", "// No trap: Doubles.", ""], [3]), (["a = \" + // No trap: b \" + c"], [1]),
      (["a = b &+ c", "a = -b", "a = \"b + c\"  // b + c", "a = UInt8(truncatingIfNeeded: b)", "a = Int(b)"], []),
    ] as [([String], [Int])])
  func `the check for traps finds lines without a comment, and comments at lines that could not trap`(
    lines: [String], numbers: [Int]
  ) {
    #expect(Self.misannotatedLines(in: lines) == numbers)
  }
}
