// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration

/// The placeholders in the configured path of a track.
enum GPXPlaceholders {
  private static let words = ["date", "start"]

  /// Returns the first unknown placeholder, without its braces; `nil` if all are known.
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

  /// Describes an unknown placeholder.
  static func problem(with word: String) -> String {
    let suggestion = Spelling.nearest(to: word, in: words).map { "; did you mean {\($0)}?" } ?? ""
    return "supports {date} and {start}, not {\(word)}\(suggestion)"
  }
}
