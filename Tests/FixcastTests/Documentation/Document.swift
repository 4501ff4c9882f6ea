// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A Markdown file of the package: README, CONTRIBUTING, SECURITY or an article.
struct Document: CustomTestStringConvertible, Sendable {
  /// A fenced block of code.
  struct Block: Sendable {
    /// The language after the fence, such as `console`; empty if absent.
    let language: String
    let text: String
    /// The line number of the first line of the text, from 1.
    let line: Int
  }

  /// The path relative to the root of the package.
  let path: String
  let text: String

  var testDescription: String { path }

  /// The root folder of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized

  init(path: String) throws {
    self.path = path
    text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// All documents for users and contributors.
  static let all: [Document] = {
    let sources = root.appending(path: "Sources")
    let found = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    let articles = (found ?? []).filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    let paths =
      ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]
      + articles.sorted().map { "Sources/" + $0 }
    return paths.compactMap { try? Document(path: $0) }
  }()

  /// README and the articles of the program.
  static var ofProgram: [Document] {
    all.filter { $0.path == "README.md" || $0.path.hasPrefix("Sources/fixcast/fixcast.docc/") }
  }

  var lineCount: Int { text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }

  /// The fenced blocks, in the order of the document.
  var blocks: [Block] { parts.blocks }

  /// The text without its fenced blocks and without code between backquotes.
  var prose: String { parts.prose.replacing(#/`[^`\n]*`/#, with: "") }

  private var parts: (blocks: [Block], prose: String) {
    var (blocks, prose) = ([Block](), [Substring]())
    var open: (language: String, lines: [Substring], line: Int)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let block = open {
        if line == "```" {
          let text = block.lines.map { $0 + "\n" }.joined()
          blocks.append(Block(language: block.language, text: text, line: block.line))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), [], index + 2)
      } else {
        prose.append(line)
      }
    }
    return (blocks, prose.joined(separator: "\n"))
  }

  /// Returns the blocks of a language.
  func blocks(of language: String) -> [Block] { blocks.filter { $0.language == language } }

  /// The targets of links and images, such as `Install.md#files`.
  var links: [String] {
    prose.matches(of: #/\]\((?<target>[^()\s]+)\)/#).map { String($0.target) }
  }

  /// The anchors of the headings, as GitHub generates them.
  var anchors: Set<String> {
    Set(
      parts.prose.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased().filter {
          $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
        }.replacing(" ", with: "-")
      })
  }
}
