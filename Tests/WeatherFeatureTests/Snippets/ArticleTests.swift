// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Checks that the code blocks in the article equal the snippets that are compiled in this folder.
@Suite struct ArticleTests {
  @Test func `the programs in the article are the compiled snippets, the first in 20 lines`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/WeatherFeature/WeatherFeature.docc/TestedWeatherFeature.md"),
      encoding: .utf8)
    let blocks = article.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    let names = [
      "TestedWeatherFeature.swift", "OwnClients.swift", "LiveWeatherFeature.swift",
    ]
    try #require(blocks.count == names.count)
    let licence = "// SPDX-License-Identifier: Apache-2.0\n\n"
    for (block, name) in zip(blocks, names) {
      let snippet = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      try #require(snippet.hasPrefix(licence))
      #expect(block == snippet.dropFirst(licence.count))
    }
    #expect(blocks[0].split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 20)
  }
}
