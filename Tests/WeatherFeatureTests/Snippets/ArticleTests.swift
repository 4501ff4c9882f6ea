// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The program in the article is the one that is compiled and run here.
@Suite struct ArticleTests {
  @Test func `the article shows the very lines that run here, twenty of them at most`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/WeatherFeature/WeatherFeature.docc/TestedWeatherFeature.md"),
      encoding: .utf8)
    let snippet = try String(
      contentsOf: folder.appending(path: "TestedWeatherFeature.swift"), encoding: .utf8)

    let blocks = article.components(separatedBy: "```swift\n").dropFirst()
    #expect(blocks.count == 1)
    let shown = try #require(blocks.first?.components(separatedBy: "```").first)
    let licence = "// SPDX-License-Identifier: Apache-2.0\n\n"
    try #require(snippet.hasPrefix(licence))
    #expect(shown == snippet.dropFirst(licence.count))
    #expect(shown.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 20)
  }
}
