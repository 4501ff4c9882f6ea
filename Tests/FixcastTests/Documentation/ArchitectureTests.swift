// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The architecture article")
struct ArchitectureTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Document.root.appending(path: path), encoding: .utf8)
  }

  private static func article() throws -> String {
    try text("Sources/fixcast/fixcast.docc/Architecture.md")
  }

  @Test func `the architecture article's files on the path of a fix exist and have at most 6750 lines`() throws {
    let paths = try Self.article().split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^\| `(?<path>Sources/[^`]+\.swift)` \|/#).map { String($0.path) }
    }
    var lineCount = 0
    for path in paths {
      lineCount +=
        try Self.text(path).split(separator: "\n", omittingEmptySubsequences: false).count - 1
    }
    #expect(Set(paths).count == paths.count)
    #expect((1...37).contains(paths.count), "\(paths.count) files")
    #expect(lineCount <= 6750, "\(lineCount) lines")
  }

  @Test func `the module table of the architecture article lists the folders in Sources`() throws {
    let parts = try Self.article().components(separatedBy: "## Modules")
    let table = try #require(parts.last?.components(separatedBy: "\n## ").first)
    let names = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { line in
      line.split(separator: "|")[0].matches(of: #/`(?<name>[\w-]+)`/#).map { String($0.name) }
    }
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Document.root.appending(path: "Sources").path)
    #expect(names.sorted() == folders.sorted())
  }

  @Test func `the decision types in the architecture article are structs, and their shells exist`() throws {
    let article = try Self.article()
    let table = try #require(article.components(separatedBy: "## Decisions and shells").last)
    let sources = try #require(
      FileManager.default.enumerator(atPath: Document.root.appending(path: "Sources").path))
    var code: [String: String] = [:]
    for case let path as String in sources where path.hasSuffix(".swift") {
      let name = String(path.split(separator: "/").last?.dropLast(6) ?? "")
      code[name, default: ""] += try Self.text("Sources/" + path)
    }
    var decisionCount = 0
    for line in table.split(separator: "\n") where line.hasPrefix("| `") {
      let columns = line.split(separator: "|")
      for match in columns[0].matches(of: #/`(?<name>[\w-]+)`/#) {
        let name = String(match.name)
        #expect(code[name]?.contains("struct \(name)") == true, "\(name)")
        decisionCount += 1
      }
      for match in columns[1].matches(of: #/`(?<name>[\w-]+)`/#) {
        #expect(code[String(match.name)] != nil, "\(match.name)")
      }
    }
    #expect(decisionCount >= 8)
  }
}
