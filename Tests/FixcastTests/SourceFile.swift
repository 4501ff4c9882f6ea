// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A source file of the package, C among them.
struct SourceFile {
  /// The folder of `Sources` that it lies in, or `CGPS`.
  var module: String
  /// The path from the top of the package.
  var path: String
  var lines: [String]
  /// The lines without comments and texts; empty for C.
  var code: [String]
  /// The modules that it imports.
  var imports: Set<String>

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Reads all of them.
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

/// What the rules look for in lines of Swift.
enum SourceText {
  /// Lines with what is in texts and comments taken out, as many as there were.
  static func code(of lines: [String]) -> [String] {
    var isInText = false
    return lines.map { line in
      let hasText = line.utf8.contains(UInt8(ascii: "\""))
      let delimiters = hasText ? line.ranges(of: "\"\"\"").count : 0
      defer { if !delimiters.isMultiple(of: 2) { isInText.toggle() } }
      if isInText { return "" }
      if delimiters > 0, let start = line.firstRange(of: "\"\"\"") {
        return String(line[..<start.lowerBound])
      }
      return hasText || line.utf8.contains(UInt8(ascii: "/")) ? withoutTexts(line) : line
    }
  }

  /// A line without its comment, and with nothing between the quotes of its texts.
  ///
  /// By hand: regular expressions take seconds for all lines where nothing is optimised.
  private static func withoutTexts(_ line: String) -> String {
    var code: [UInt8] = []
    var (isInText, isEscaped) = (false, false)
    for byte in line.utf8 {
      if isInText {
        if byte == UInt8(ascii: "\""), !isEscaped {
          isInText = false
          code.append(byte)
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte == UInt8(ascii: "/"), code.last == byte {
        code.removeLast()
        break
      } else {
        isInText = byte == UInt8(ascii: "\"")
        code.append(byte)
      }
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// Whether a line of code can end the program.
  static func stops(_ line: String) -> Bool {
    let words = ["!", "fatalError", "precondition"]
    let isSuspect = words.contains { word in
      strstr(line, word) != nil
    }
    guard isSuspect else { return false }
    return line.contains(
      #/\b(fatalError|precondition|preconditionFailure)\(|\b(try|as)!|[\w\)\]]!(?!=)/#)
  }

  /// The modules that lines of code import.
  static func imports(in code: [String]) -> Set<String> {
    Set(code.lazy.filter { strstr($0, "import ") != nil }.compactMap(module))
  }

  /// The module that a line imports.
  private static func module(in line: String) -> String? {
    let before = ["public", "internal", "private", "package", "fileprivate"]
    let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    var words = line.split(separator: " ")[...]
    while let word = words.first, word.hasPrefix("@") || before.contains(String(word)) {
      words.removeFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    if let word = words.first, kinds.contains(String(word)) { words.removeFirst() }
    return words.first.map { String($0.prefix { $0 != "." }) }
  }
}
