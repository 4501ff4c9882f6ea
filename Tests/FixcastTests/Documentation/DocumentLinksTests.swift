// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Every link of README, articles, CONTRIBUTING and SECURITY leads somewhere.
@Suite struct DocumentLinksTests {
  @Test func `there are documents, and all of them are found`() {
    let paths = Set(Document.all.map(\.path))
    #expect(paths.isSuperset(of: ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]))
    #expect(Document.ofProgram.count >= 14, "\(paths.sorted())")
  }

  @Test(arguments: Document.all)
  func `each relative link resolves, with its anchor`(document: Document) throws {
    let folder = Document.root.appending(path: document.path).deletingLastPathComponent()
    for link in document.links where !link.hasPrefix("https://") {
      #expect(!link.contains(":"), "\(link): is neither relative nor https")
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let file = parts[0].isEmpty ? document.path : Self.path(String(parts[0]), from: folder)
      #expect(
        FileManager.default.fileExists(atPath: Document.root.appending(path: file).path),
        "\(link): there is no \(file)")
      guard parts.count > 1 else { continue }
      let anchors = try Document(path: file).anchors
      #expect(anchors.contains(String(parts[1])), "\(link): \(file) has \(anchors.sorted())")
    }
  }

  @Test(arguments: Document.all)
  func `each link of DocC to an article names one beside it`(document: Document) {
    let folder = Document.root.appending(path: document.path).deletingLastPathComponent()
    for match in document.prose.matches(of: #/<doc:(?<name>[\w-]+)>/#) {
      let article = folder.appending(path: "\(match.name).md")
      #expect(FileManager.default.fileExists(atPath: article.path), "\(match.name)")
    }
  }

  @Test func `each article of the program can be reached from README`() throws {
    var reached: Set<String> = []
    var waiting = ["README.md"]
    while let path = waiting.popLast() {
      guard path.hasSuffix(".md"), reached.insert(path).inserted else { continue }
      let folder = Document.root.appending(path: path).deletingLastPathComponent()
      for link in try Document(path: path).links where !link.contains(":") {
        waiting.append(Self.path(String(link.prefix { $0 != "#" }), from: folder))
      }
    }
    for document in Document.ofProgram { #expect(reached.contains(document.path)) }
  }

  /// The path of a link's target from the top of the package.
  private static func path(_ link: String, from folder: URL) -> String {
    let target = folder.appending(path: link).standardized.path
    return String(target.dropFirst(Document.root.path.count)).trimmingPrefix("/").description
  }
}
