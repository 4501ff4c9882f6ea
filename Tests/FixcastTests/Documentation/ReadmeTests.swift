// SPDX-License-Identifier: Apache-2.0

import Foundation
import Receivers
import Testing

/// README and the articles have a limited size, and README starts with the essentials.
@Suite struct ReadmeTests {
  private static func readme() throws -> Document { try Document(path: "README.md") }

  @Test(arguments: Document.ofProgram)
  func `README and each article of the program have at most 200 lines`(document: Document) {
    #expect(document.lineCount <= 200, "\(document.lineCount)")
  }

  @Test func `README links to Install first, and contains make run and make test`() throws {
    let readme = try Self.readme()
    #expect(readme.links.first == "Sources/fixcast/fixcast.docc/Install.md")
    let commands = readme.blocks(of: "console").map(\.text).joined()
    #expect(commands.contains("$ make run\n") && commands.contains("$ make test\n"))
    #expect(readme.links.contains("Sources/fixcast/fixcast.docc/watch.svg"))
  }

  @Test func `README lists the untested platforms and devices above the installation`() throws {
    let text = try Self.readme().text
    let untried = try #require(text.firstRange(of: "Not tried")).lowerBound
    let install = try #require(text.firstRange(of: "apt install")).lowerBound
    #expect(untried < install)
    for word in ["ARM", "USB port", "weather provider on the internet"] {
      #expect(text[untried..<install].contains(word), "\(word)")
    }
  }

  @Test func `the receivers in README are those of ReceiverCatalog`() throws {
    let text = try Self.readme().text
    let begin = try #require(text.firstRange(of: "<!-- receivers: begin -->\n"))
    let end = try #require(text.firstRange(of: "<!-- receivers: end -->"))
    #expect(text[begin.upperBound..<end.lowerBound] == ReceiverTable.markdown)
  }

  @Test func `the subcommands in README are those in the help of the program`() async throws {
    let rows = try Self.readme().text.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^\| `fixcast (?<name>[a-z-]+)[^`]*` \|/#).map { String($0.name) }
    }
    #expect(Set(rows).count == rows.count)
    let help = try await Program.run("--help").lines
    let listed = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(Set(rows) == Set(listed))
  }
}

/// The table of receivers in README, generated from the catalog.
enum ReceiverTable {
  /// The table in Markdown; copy it to README after a change of the catalog.
  static var markdown: String {
    let head = "| receiver | USB ids | Fixcast |\n|---|---|---|\n"
    return head + ReceiverModel.Kind.allCases.flatMap(rows).joined()
  }

  /// Returns one row per manufacturer, in the order of the catalog.
  private static func rows(_ kind: ReceiverModel.Kind) -> [String] {
    var groups: [(maker: Substring, names: [String], ids: [String])] = []
    for model in ReceiverCatalog.models where model.kind == kind {
      let maker = model.name.prefix { $0 != " " }
      let index =
        groups.firstIndex { $0.maker == maker }
        ?? {
          groups.append((maker, [], []))
          return groups.count - 1
        }()
      if !groups[index].names.contains(model.name) { groups[index].names.append(model.name) }
      groups[index].ids.append("`\(model.id)`")
    }
    return groups.map { group in
      let names = group.names.joined(separator: ", ")
      return "| \(names) | \(group.ids.joined(separator: ", ")) | \(use(kind)) |\n"
    }
  }

  private static func use(_ kind: ReceiverModel.Kind) -> String {
    switch kind {
    case .specific: "read as soon as it is plugged in"
    case .candidate: "read after you name its port"
    case .modemPort: "read while the modem sends positions"
    }
  }
}
