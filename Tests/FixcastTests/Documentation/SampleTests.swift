// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The Swift code in README and the articles is compiled.
///
/// Each block is identical to a file in `Samples`, to the example program or to a marked part of
/// `SampleRunTests`.
@Suite struct SampleTests {
  /// Articles whose samples are in the tests of another module.
  private static let testedInOtherModules: Set<String> = [
    "Sources/WeatherFeature/WeatherFeature.docc/TestedWeatherFeature.md"
  ]

  private static let folder = Document.root.appending(path: "Tests/FixcastTests/Documentation")

  /// Returns the files in `Samples` and the example program by name, without the licence line.
  private static func files() throws -> [String: String] {
    let licence = "// SPDX-License-Identifier: Apache-2.0\n\n"
    let example = Document.root.appending(path: "Tests/Example")
    var files: [String: String] = [:]
    for folder in [folder.appending(path: "Samples"), example] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        try #require(text.hasPrefix(licence), "\(name)")
        files[name] = String(text.dropFirst(licence.count))
      }
    }
    return files
  }

  /// Returns the text between the markers in `SampleRunTests`, without indentation.
  private static func parts() throws -> [String] {
    let text = try String(
      contentsOf: folder.appending(path: "SampleRunTests.swift"), encoding: .utf8)
    return text.components(separatedBy: "// sample: begin\n").dropFirst().map { rest in
      let lines = rest.components(separatedBy: "// sample: end")[0]
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let indent = lines.first?.prefix { $0 == " " }.count ?? 0
      return lines.map { $0.dropFirst(indent) + "\n" }.joined()
    }
  }

  @Test func `each Swift block in the documents is identical to a compiled sample`() throws {
    let compiled = try Set(Self.files().values).union(Self.parts())
    var count = 0
    for document in Document.all where !Self.testedInOtherModules.contains(document.path) {
      for block in document.blocks(of: "swift") {
        count += 1
        #expect(compiled.contains(block.text), "\(document.path):\(block.line)")
      }
    }
    #expect(count >= 9)
  }

  @Test func `each compiled sample is shown in a document`() throws {
    let shown = Set(Document.all.flatMap { $0.blocks(of: "swift") }.map(\.text))
    for (name, text) in try Self.files() { #expect(shown.contains(text), "\(name)") }
    for part in try Self.parts() { #expect(shown.contains(part), "\(part)") }
  }

  @Test(arguments: Document.all)
  func `each code block in a document has a language that a test covers`(document: Document) {
    let covered: Set<String> = [
      "swift", "console", "toml", "conf", "ini", "json", "python", "sh", "text", "",
    ]
    for block in document.blocks {
      #expect(covered.contains(block.language), "\(document.path):\(block.line)")
    }
  }
}
