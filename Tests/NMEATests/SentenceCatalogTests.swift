// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Sentence catalog")
struct SentenceCatalogTests {
  /// Returns the first group of each match of a pattern in the catalog's source.
  private func names(_ pattern: Regex<(Substring, Substring)>) throws -> [String] {
    try Sources.files().filter { $0.path == "SentenceCatalog.swift" }.flatMap(\.lines)
      .compactMap { $0.firstMatch(of: pattern).map { String($0.1) } }
      .sorted()
  }

  /// Returns the names of the sentence files, without folders and extension.
  private static func sentences() throws -> [String] {
    try Sources.files(in: "Sentences").compactMap {
      $0.path.split(separator: "/").last.map { String($0.dropLast(".swift".count)) }
    }
    .sorted()
  }

  @Test func `each sentence has a file, a case and a row in the catalog`() throws {
    let files = try Self.sentences()
    #expect(files.count >= 19)
    #expect(try names(#/^  case \w+\((\w+)\)$/#) == files)
    #expect(try names(#/return (?:\.\w+\()?(\w+)\(&fields\)/#) == files)
  }

  @Test func `each sentence has a table of tested sentences`() throws {
    let types = SentenceTable.all.compactMap { $0.cases.first?.expected.first }
    #expect(types.sorted() == (try Self.sentences().map { $0.lowercased() }.sorted()))
  }

  @Test func `each sentence is parsed as the type named by its file`() throws {
    for name in try Self.sentences() {
      let body =
        switch name {
        case "PUBX00": "PUBX,00,"
        case "PSTI036": "PSTI,036,"
        case "PGTOP", "PCD": name + ",11,"
        case let name where name.hasPrefix("P"): name + ","
        default: "GP\(name),"
        }
      let reading = name == "UNIHEADINGA" ? readLog("\(name),;") : read(body)
      let sentence = reading.sentences.first.map { "\($0)" } ?? ""
      #expect(sentence.hasPrefix(name.lowercased() + "("), "\(body)")
    }
  }
}
