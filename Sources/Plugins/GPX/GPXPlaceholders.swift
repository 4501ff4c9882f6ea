// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration

/// What the name of a track may have in braces.
enum GPXPlaceholders {
  private static let words = ["date", "start"]

  /// The first word in braces that stands for nothing, and so would be in the name as it is written.
  ///
  /// - Parameter path: The path as it is configured.
  /// - Returns: The word without its braces; `nil` where there is none.
  static func unknown(in path: String) -> String? {
    var rest = path[...]
    while let end = rest.firstIndex(of: "}") {
      if let start = rest[..<end].lastIndex(of: "{") {
        let word = String(rest[rest.index(after: start)..<end])
        if !words.contains(word) { return word }
      }
      rest = rest[rest.index(after: end)...]
    }
    return nil
  }

  /// What is wrong with one of those.
  static func problem(with word: String) -> String {
    let meant = Spelling.nearest(to: word, in: words).map { "; did you mean {\($0)}?" } ?? ""
    return "takes {date} and {start}, not {\(word)}\(meant)"
  }
}
