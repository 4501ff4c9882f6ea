// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The links in README, CONTRIBUTING, SECURITY and the articles resolve.
@Suite struct DocumentLinksTests {
  @Test func `the list of documents contains README and all articles`() {
    let paths = Set(Document.all.map(\.path))
    #expect(paths.isSuperset(of: ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]))
    #expect(Document.ofProgram.count >= 14, "\(paths.sorted())")
  }

  @Test(arguments: Document.all)
  func `each relative link resolves to a file and an anchor`(document: Document) throws {
    let folder = Document.root.appending(path: document.path).deletingLastPathComponent()
    for link in document.links where !link.hasPrefix("https://") {
      #expect(!link.contains(":"), "\(link) is neither relative nor https")
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let file = parts[0].isEmpty ? document.path : Self.path(String(parts[0]), from: folder)
      #expect(
        FileManager.default.fileExists(atPath: Document.root.appending(path: file).path),
        "\(link): \(file) does not exist")
      guard parts.count > 1 else { continue }
      let anchors = try Document(path: file).anchors
      #expect(anchors.contains(String(parts[1])), "\(link): \(file) has only \(anchors.sorted())")
    }
  }

  @Test(arguments: Document.all)
  func `each doc link in a document names an article in the same folder`(document: Document) {
    let folder = Document.root.appending(path: document.path).deletingLastPathComponent()
    for match in document.prose.matches(of: #/<doc:(?<name>[\w-]+)>/#) {
      let article = folder.appending(path: "\(match.name).md")
      #expect(FileManager.default.fileExists(atPath: article.path), "\(match.name)")
    }
  }

  @Test func `each article of the program can be reached from README through links`() throws {
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

  /// Returns the path of a link's target, relative to the root of the package.
  private static func path(_ link: String, from folder: URL) -> String {
    let target = folder.appending(path: link).standardized.path
    return String(target.dropFirst(Document.root.path.count)).trimmingPrefix("/").description
  }
}
