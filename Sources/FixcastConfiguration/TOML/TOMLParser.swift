// SPDX-License-Identifier: Apache-2.0

/// Parses TOML 1.0 without dates and times, and records the line of each key.
///
/// The nesting of tables and lists is limited to 32, so that no text can exhaust the stack.
struct TOMLParser {
  static let maxDepth = 32

  private var cursor: TOMLCursor
  /// The key path in the current header.
  private var section: [String] = []

  init(_ cursor: TOMLCursor) { self.cursor = cursor }

  mutating func parse() throws(TOMLFault) -> TOMLTree {
    var root = TOMLTree(line: 1, kind: .headed)
    while try cursor.skipBlankLines() {
      if cursor.isAt("[") {
        try header(&root)
      } else {
        let (path, value) = try pair(depth: section.count)
        try root.set((section + path)[...], section: section.count, value)
      }
      cursor.skipBlanks()
      try cursor.skipComment()
      guard cursor.takeNewline() || cursor.next == nil else {
        throw cursor.fault(
          cursor.isAt("\r")
            ? "the line ends with CR alone; save the file with LF or CR LF line endings"
            : "expected the end of the line or a comment with #")
      }
    }
    return root
  }

  /// Parses a header `[a.b]` or `[[a.b]]`.
  private mutating func header(_ root: inout TOMLTree) throws(TOMLFault) {
    let line = cursor.line
    let isElement = cursor.take("[[")
    if !isElement { _ = cursor.take("[") }
    section = try key(depth: isElement ? 1 : 0)
    if isElement {
      guard cursor.take("]]") else { throw cursor.fault("the header must end with ]]") }
      try root.append(section[...], line: line)
    } else {
      guard cursor.take("]") else { throw cursor.fault("the header must end with ]") }
      try root.open(section[...], line: line)
    }
  }

  /// Parses `KEY = VALUE`.
  private mutating func pair(depth: Int) throws(TOMLFault) -> ([String], TOMLTree) {
    let line = cursor.line
    let path = try key(depth: depth)
    guard cursor.take("=") else { throw cursor.fault("expected = and a value after the key") }
    var value = try value(depth: depth + path.count)
    value.line = line
    return (path, value)
  }

  /// Parses a key such as `a."b".'c'`, including blanks before and after the key.
  private mutating func key(depth: Int) throws(TOMLFault) -> [String] {
    var path: [String] = []
    repeat {
      cursor.skipBlanks()
      path.append(try keyPart())
      try check(depth: depth + path.count)
      cursor.skipBlanks()
    } while cursor.take(".")
    return path
  }

  private mutating func keyPart() throws(TOMLFault) -> String {
    if cursor.isAt("\"\"\"") || cursor.isAt("'''") {
      throw cursor.fault("a key must be on one line, with one quote on each side")
    }
    if let text = try cursor.takeString() { return text }
    let bytes = cursor.take { byte in
      byte.isLetter || byte.isDecimalDigit || "_-".utf8.contains(byte)
    }
    guard !bytes.isEmpty else {
      throw cursor.fault("expected a key: letters, digits, _ and -, or any text in quotes")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func value(depth: Int) throws(TOMLFault) -> TOMLTree {
    try check(depth: depth)
    cursor.skipBlanks()
    let line = cursor.line
    if cursor.take("[") {
      return TOMLTree(line: line, kind: .value, elements: try list(depth: depth))
    }
    if cursor.take("{") { return try table(TOMLTree(line: line, kind: .value), depth: depth) }
    if let text = try cursor.takeString() {
      return TOMLTree(line: line, kind: .value, scalar: .string(text))
    }
    return TOMLTree(line: line, kind: .value, scalar: try word())
  }

  /// Parses a list whose `[` has already been taken.
  private mutating func list(depth: Int) throws(TOMLFault) -> [TOMLTree] {
    var elements: [TOMLTree] = []
    while try cursor.skipBlankLines() {
      if cursor.take("]") { return elements }
      elements.append(try value(depth: depth + 1))
      try cursor.skipBlankLines()
      if cursor.take(",") { continue }
      guard cursor.take("]") else { throw cursor.fault("expected , or ] in the list") }
      return elements
    }
    throw cursor.fault("unterminated list; ] is missing")
  }

  /// Parses an inline table whose `{` has already been taken.
  private mutating func table(
    _ empty: TOMLTree, depth: Int
  ) throws(TOMLFault) -> TOMLTree {
    var table = empty
    cursor.skipBlanks()
    if cursor.take("}") { return table }
    repeat {
      let (path, value) = try pair(depth: depth)
      try table.set(path[...], section: 0, value)
      cursor.skipBlanks()
    } while cursor.take(",")
    guard cursor.take("}") else {
      throw cursor.fault("expected , or } on the same line in the inline table")
    }
    return table
  }

  /// Parses a number, `true` or `false`.
  private mutating func word() throws(TOMLFault) -> SettingValue {
    let start = cursor.offset
    let word = cursor.take { byte in
      byte.isLetter || byte.isDecimalDigit || "+-_.:".utf8.contains(byte)
    }
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let number = TOMLNumber.value(text) { return number }
    if word.isEmpty, cursor.isAtTypographicQuote {
      throw cursor.fault("typographic quotes; use \" on both sides")
    }
    throw cursor.fault(Self.advice(word, cursor.next), at: start)
  }

  /// Returns the error for an invalid value; omits the value itself, which may be a secret.
  private static func advice(_ word: ArraySlice<UInt8>, _ next: UInt8?) -> String {
    guard let first = word.first ?? next, first > 0x20, !"#,]}=".utf8.contains(first) else {
      return "a value is missing"
    }
    guard first.isDecimalDigit || "+-".utf8.contains(first) else {
      let lowercased = String(decoding: word, as: UTF8.self).lowercased()
      let isFlag = ["true", "false", "yes", "no", "on", "off"].contains(lowercased)
      return isFlag
        ? "not a value; write true or false in lower case"
        : "not a value; text needs quotes around it"
    }
    let isTime =
      word.contains(UInt8(ascii: ":"))
      || (word.dropFirst(4).first == UInt8(ascii: "-")
        && word.prefix(4).allSatisfy(\.isDecimalDigit))
    return isTime
      ? "dates and times are not supported" : "not a number; text needs quotes around it"
  }

  private func check(depth: Int) throws(TOMLFault) {
    guard depth > Self.maxDepth else { return }
    throw cursor.fault("nested more than \(Self.maxDepth) levels deep")
  }
}

extension SettingsTable {
  /// The maximum size of a file in bytes.
  package static let maxTOMLBytes = 1 << 20

  /// Parses TOML 1.0 without dates and times.
  ///
  /// Errors contain keys but never a value, which may be a secret.
  package init(toml bytes: [UInt8], file: String) throws(SettingsError) {
    guard bytes.count <= Self.maxTOMLBytes else {
      throw SettingsError(
        .unreadable("larger than the limit of \(Self.maxTOMLBytes) bytes"),
        at: SettingOrigin(file: file))
    }
    do throws(TOMLFault) {
      var parser = TOMLParser(try TOMLCursor(bytes))
      self = try parser.parse().settings(path: "", file: file)
    } catch {
      throw SettingsError(
        .syntax(error.text),
        at: SettingOrigin(file: file, line: error.line, column: error.column))
    }
  }
}
