// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The public declarations in source folders, with their comments.
///
/// Relies on the formatter: a member is indented two spaces more than its type.
struct PublicDeclarations {
  /// The comments by docc path, such as `Heading/init(_:)`; overloads have several comments.
  private(set) var comments: [String: [String]] = [:]

  private struct Scope {
    var indent: Int
    var path: String
    /// The kinds of members that are public without a modifier.
    var shares: Set<String> = []
  }

  private static let types: Set = ["struct", "class", "enum", "protocol", "extension", "actor"]
  private static let members: Set = ["func", "var", "let", "init", "case"]
  private static let modifiers: Set = [
    "public", "private(set)", "static", "final", "mutating", "indirect", "convenience",
  ]

  init(folders: [String]) throws {
    for folder in folders {
      let files = try #require(FileManager.default.enumerator(atPath: folder))
      for case let file as String in files where file.hasSuffix(".swift") {
        read(try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
      }
    }
  }

  private mutating func read(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var scopes: [Scope] = []
    var comment = ""
    for (index, line) in lines.enumerated() where !line.isEmpty {
      let indent = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indent)
      if words.hasPrefix("///") { comment += words.dropFirst(3) }
      if words.hasPrefix("///") || words.hasPrefix("@") { continue }
      defer { comment = "" }
      scopes.removeAll { $0.indent >= indent }
      guard indent == scopes.last.map({ $0.indent + 2 }) ?? 0,
        let (keyword, name) = Self.declaration(words, lines[index...])
      else { continue }
      let path = (scopes.last.map { $0.path + "/" } ?? "") + name
      let isPublic =
        words.hasPrefix("public ") || scopes.last?.shares.contains(keyword) == true
      if Self.types.contains(keyword) {
        scopes.append(Scope(indent: indent, path: path))
        if isPublic, keyword == "enum" { scopes[scopes.count - 1].shares = ["case"] }
        if isPublic, keyword == "protocol" { scopes[scopes.count - 1].shares = Self.members }
      }
      if isPublic, keyword != "extension" { comments[path, default: []].append(comment) }
    }
  }

  /// Returns the declaration in a line; `nil` for any other line or a non-public one.
  private static func declaration(
    _ line: Substring, _ rest: ArraySlice<Substring>
  ) -> (keyword: String, name: String)? {
    let parts = line.split(separator: " ").drop { modifiers.contains(String($0)) }
    guard let first = parts.first else { return nil }
    let keyword = String(first.prefix { $0.isLetter })
    guard types.contains(keyword) || members.contains(keyword) else { return nil }
    let text = parts.joined(separator: " ").dropFirst(keyword == "init" ? 0 : keyword.count + 1)
    let name = text.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber }
    guard ["func", "init"].contains(keyword) || (keyword == "case" && text.contains("(")) else {
      return (keyword, String(name))
    }
    let labels = labels(of: rest.joined(separator: " "))
    return (keyword, "\(name)(\(labels.map { "\($0):" }.joined()))")
  }

  /// Returns the labels in the first parentheses.
  private static func labels(of text: String) -> [String] {
    var depth = 0
    var parameters: [String] = []
    for character in text {
      switch character {
      case "(" where depth == 0:
        depth = 1
        parameters = [""]
        continue
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "," where depth == 1:
        parameters.append("")
        continue
      default: break
      }
      if !parameters.isEmpty {
        if depth == 0 { break }
        parameters[parameters.count - 1].append(character)
      }
    }
    return parameters.filter { $0.contains { $0 != " " } }.map { parameter in
      // A parameter without a colon belongs to an enum case without labels.
      guard parameter.contains(":") else { return "_" }
      return String(parameter.split(separator: " ")[0].prefix { $0 != ":" })
    }
  }
}
