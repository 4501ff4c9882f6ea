// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The Swift code in README and the articles is compiled.
///
/// Each block is identical to a file in `Samples` of the client package, to its program or to a
/// marked part of its tests.
@Suite struct SampleTests {
  private static let package = Document.root.appending(path: "Tests/ClientPackage")
  private static let tests = package.appending(path: "Tests/ClientPackageTests")

  /// Returns the Swift files in a folder by name.
  private static func files(in folder: URL) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".swift") {
      files[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return files
  }

  /// Returns the samples and the program by name, without the licence line.
  private static func samples() throws -> [String: String] {
    let licence = "// SPDX-License-Identifier: Apache-2.0\n\n"
    var samples: [String: String] = [:]
    for folder in [
      tests.appending(path: "Samples"), package.appending(path: "Sources/board-weather"),
    ] {
      for (name, text) in try files(in: folder) {
        try #require(text.hasPrefix(licence), "\(name)")
        samples[name] = String(text.dropFirst(licence.count))
      }
    }
    return samples
  }

  /// Returns the text between the markers in the tests, without indentation.
  private static func parts() throws -> [String] {
    try files(in: tests).values.flatMap { text in
      text.components(separatedBy: "// sample: begin\n").dropFirst().map { rest in
        let lines = rest.components(separatedBy: "// sample: end")[0]
          .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let indent = lines.first?.prefix { $0 == " " }.count ?? 0
        return lines.map { $0.dropFirst(indent) + "\n" }.joined()
      }
    }
  }

  @Test func `each Swift block in the documents is identical to a compiled sample`() throws {
    let compiled = try Set(Self.samples().values).union(Self.parts())
    var count = 0
    for document in Document.all {
      for block in document.blocks(of: "swift") {
        count += 1
        #expect(compiled.contains(block.text), "\(document.path):\(block.line)")
      }
    }
    #expect(count >= 18)
  }

  @Test func `each compiled sample is shown in a document`() throws {
    let shown = Set(Document.all.flatMap { $0.blocks(of: "swift") }.map(\.text))
    for (name, text) in try Self.samples() { #expect(shown.contains(text), "\(name)") }
    for part in try Self.parts() { #expect(shown.contains(part), "\(part)") }
  }

  @Test func `the tested weather feature has twenty lines`() throws {
    let text = try #require(try Self.samples()["TestedWeatherFeature.swift"])
    #expect(text.count { $0 == "\n" } <= 20)
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
