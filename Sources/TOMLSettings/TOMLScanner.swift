// SPDX-License-Identifier: Apache-2.0

/// Finds the line of each key, which the parser does not tell, and what the parser would end the
/// process for instead of saying what is wrong: no name in a table's header, no value between the
/// brackets of a list, some damaged times, and what is nested too deep.
///
/// Reads what is right as the parser does. Where something else is wrong it goes on with the next
/// line, and leaves saying so to the parser.
struct TOMLScanner {
  /// How many tables and lists may lie in each other.
  static let deepest = 32

  private var cursor: TOMLCursor
  private var scope: [String] = []

  init(_ bytes: [UInt8]) { cursor = TOMLCursor(bytes) }

  /// The whole text.
  mutating func outline() throws(TOMLFault) -> TOMLNode {
    var root = TOMLNode(line: 1)
    while cursor.skipBlankLines() {
      let line = cursor.line
      if cursor.take("[") {
        let isElement = cursor.take("[")
        scope = try key()
        if scope.isEmpty { throw fault("a table's name is missing, as in [weather]") }
        try check(depth: scope.count + (isElement ? 1 : 0))
        root.edit(scope[...], line: line) { node in
          if isElement {
            node.elements.append(TOMLNode(line: line))
          } else {
            node.line = line
          }
        }
      } else {
        try pair(in: &root, scope)
      }
      cursor.skipLine()
    }
    return root
  }

  /// `KEY = VALUE`.
  private mutating func pair(in node: inout TOMLNode, _ scope: [String]) throws(TOMLFault) {
    let line = cursor.line
    let path = scope + (try key())
    guard path.count > scope.count, cursor.take("=") else { return }
    var value = try value(depth: path.count)
    value.line = line
    node.edit(path[...], line: line) { $0 = value }
  }

  /// `a."b".'c'`; empty where there is none.
  private mutating func key() throws(TOMLFault) -> [String] {
    var path: [String] = []
    repeat {
      cursor.skipBlanks()
      guard let part = try cursor.keyPart() else { break }
      path.append(part)
      try check(depth: path.count)
      cursor.skipBlanks()
    } while cursor.take(".")
    return path
  }

  private mutating func value(depth: Int) throws(TOMLFault) -> TOMLNode {
    try check(depth: depth)
    cursor.skipBlanks()
    var node = TOMLNode(line: cursor.line)
    if cursor.take("[") {
      while cursor.skipBlankLines(), !cursor.take("]") {
        let start = cursor.offset
        node.elements.append(try value(depth: depth + 1))
        cursor.skipBlankLines()
        if !cursor.take(","), cursor.offset == start { cursor.skipByte() }
      }
    } else if cursor.take("{") {
      while cursor.skipBlankLines(), !cursor.take("}") {
        let start = cursor.offset
        try inlinePair(in: &node, depth: depth)
        cursor.skipBlankLines()
        if !cursor.take(","), cursor.offset == start { cursor.skipByte() }
      }
    } else if try !cursor.skipString() {
      let word = cursor.bareValue()
      if word.isEmpty { throw fault("a value is missing") }
      if Self.isTime(word) { throw fault("dates and times are not used here") }
    }
    return node
  }

  private mutating func inlinePair(in node: inout TOMLNode, depth: Int) throws(TOMLFault) {
    let line = cursor.line
    let path = try key()
    guard !path.isEmpty, cursor.take("=") else { return }
    var value = try value(depth: depth + path.count)
    value.line = line
    node.edit(path[...], line: line) { $0 = value }
  }

  /// Whether the parser could take it for one: `1979-05-27`, `07:32`.
  private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let first = word.first, isDigit(first) else { return false }
    return word.contains(UInt8(ascii: ":"))
      || (word.dropFirst(4).first == UInt8(ascii: "-") && word.prefix(4).allSatisfy(isDigit))
  }

  private func fault(_ text: String) -> TOMLFault { TOMLFault(line: cursor.line, text: text) }

  private func check(depth: Int) throws(TOMLFault) {
    guard depth > Self.deepest else { return }
    throw fault("nested more than \(Self.deepest) deep")
  }
}
