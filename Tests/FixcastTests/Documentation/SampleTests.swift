// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The Swift in README and articles is compiled: each block is a file of `Samples`, or a marked part of a
/// test beside it, to the character.
@Suite struct SampleTests {
  /// Articles whose samples are held by the tests of their own module.
  private static let elsewhere: Set<String> = [
    "Sources/WeatherFeature/WeatherFeature.docc/TestedWeatherFeature.md"
  ]

  private static let folder = Document.root.appending(path: "Tests/FixcastTests/Documentation")

  /// The files of `Samples` without their licence.
  private static func files() throws -> [String: String] {
    let samples = folder.appending(path: "Samples")
    let licence = "// SPDX-License-Identifier: Apache-2.0\n\n"
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: samples.path) {
      let text = try String(contentsOf: samples.appending(path: name), encoding: .utf8)
      try #require(text.hasPrefix(licence), "\(name)")
      files[name] = String(text.dropFirst(licence.count))
    }
    return files
  }

  /// The lines between the markers of a test, without their indentation.
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

  @Test func `each Swift block is what compiles here`() throws {
    let known = try Set(Self.files().values).union(Self.parts())
    var count = 0
    for document in Document.all where !Self.elsewhere.contains(document.path) {
      for block in document.blocks(of: "swift") {
        count += 1
        #expect(known.contains(block.text), "\(document.path):\(block.line)")
      }
    }
    #expect(count >= 9)
  }

  @Test func `each sample is shown somewhere`() throws {
    let shown = Set(Document.all.flatMap { $0.blocks(of: "swift") }.map(\.text))
    for (name, text) in try Self.files() { #expect(shown.contains(text), "\(name)") }
    for part in try Self.parts() { #expect(shown.contains(part), "\(part)") }
  }

  @Test(arguments: Document.all)
  func `each block of code has a language that some test knows`(document: Document) {
    let known: Set<String> = [
      "swift", "console", "toml", "conf", "ini", "json", "python", "sh", "text", "",
    ]
    for block in document.blocks {
      #expect(known.contains(block.language), "\(document.path):\(block.line)")
    }
  }
}
