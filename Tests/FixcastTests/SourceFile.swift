// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A source file of the package, in Swift or C.
struct SourceFile {
  /// The name of the file's directory in `Sources`, or `CGPS`.
  var module: String
  /// The path from the root of the package.
  var path: String
  var lines: [String]
  /// The lines without comments and string contents; empty for C.
  var code: [String]
  /// The imported modules.
  var imports: Set<String>

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Reads all source files.
  static func all() throws -> [SourceFile] {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let modules = try FileManager.default.contentsOfDirectory(
      atPath: package.appending(path: "Sources").path)
    return try modules.sorted().flatMap { module in
      try files(of: module, in: "Sources/" + module, package)
    } + files(of: "CGPS", in: "CGPS", package)
  }

  private static func files(
    of module: String, in folder: String, _ package: URL
  ) throws -> [SourceFile] {
    let root = package.appending(path: folder).resolvingSymlinksInPath()
    return try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { path in [".swift", ".c", ".h"].contains { path.hasSuffix($0) } }
      .sorted()
      .map { path in
        let bytes = try Data(contentsOf: root.appending(path: path))
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
          .map { String(decoding: $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        let code = path.hasSuffix(".swift") ? SourceText.code(of: lines) : []
        return SourceFile(
          module: module, path: folder + "/" + path, lines: lines, code: code,
          imports: SourceText.imports(in: code))
      }
  }
}

/// Functions that analyze lines of Swift.
enum SourceText {
  /// Returns the lines without comments and string contents; a line without code becomes empty.
  static func code(of lines: [String]) -> [String] {
    var isInString = false
    return lines.map { line in
      let hasQuote = line.utf8.contains(UInt8(ascii: "\""))
      let delimiters = hasQuote ? line.ranges(of: "\"\"\"").count : 0
      defer { if !delimiters.isMultiple(of: 2) { isInString.toggle() } }
      if isInString { return "" }
      if delimiters > 0, let start = line.firstRange(of: "\"\"\"") {
        return String(line[..<start.lowerBound])
      }
      return hasQuote || line.utf8.contains(UInt8(ascii: "/")) ? strippingTexts(line) : line
    }
  }

  /// Returns a line without its comment and without the content of its strings.
  ///
  /// Implemented without regular expressions, which take seconds for all lines in a debug build.
  private static func strippingTexts(_ line: String) -> String {
    var code: [UInt8] = []
    var (isInString, isEscaped) = (false, false)
    for byte in line.utf8 {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped {
          isInString = false
          code.append(byte)
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte == UInt8(ascii: "/"), code.last == byte {
        code.removeLast()
        break
      } else {
        isInString = byte == UInt8(ascii: "\"")
        code.append(byte)
      }
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// Whether a line of code can trap.
  static func canTrap(_ line: String) -> Bool {
    let words = ["!", "fatalError", "precondition"]
    let isSuspect = words.contains { word in
      strstr(line, word) != nil
    }
    guard isSuspect else { return false }
    return line.contains(
      #/\b(fatalError|precondition|preconditionFailure)\(|\b(try|as)!|[\w\)\]]!(?!=)/#)
  }

  /// Returns the modules that lines of code import.
  static func imports(in code: [String]) -> Set<String> {
    Set(code.lazy.filter { strstr($0, "import ") != nil }.compactMap(module))
  }

  /// Returns the module that a line imports.
  private static func module(in line: String) -> String? {
    let modifiers = ["public", "internal", "private", "package", "fileprivate"]
    let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    var words = line.split(separator: " ")[...]
    while let word = words.first, word.hasPrefix("@") || modifiers.contains(String(word)) {
      words.removeFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    if let word = words.first, kinds.contains(String(word)) { words.removeFirst() }
    return words.first.map { String($0.prefix { $0 != "." }) }
  }
}
