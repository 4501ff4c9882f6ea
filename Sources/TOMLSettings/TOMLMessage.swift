// SPDX-License-Identifier: Apache-2.0

/// The parser's words, made fit for one line that everybody may read.
enum TOMLMessage {
  /// What to tell.
  ///
  /// - Parameters:
  ///   - message: What the parser says. It may quote what it saw, which may be a secret.
  ///   - line: The line it is about.
  /// - Returns: One line without any value.
  static func text(_ message: String, line: Substring) -> String {
    var text = message
    // It begins with what it was at: "Error while parsing key-value pair: ".
    if text.hasPrefix("Error while parsing "), let colon = text.firstIndex(of: ":") {
      text = String(text[colon...].dropFirst(2))
    }
    let plain = withoutValues(text).unicodeScalars.map { scalar in
      scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        ? (scalar == "\n" ? "the end of the line" : "U+" + String(scalar.value, radix: 16))
        : String(scalar)
    }.joined()
    let redefined = text.hasPrefix("cannot redefine") ? key(of: line).map { " (\($0))" } ?? "" : ""
    return "not TOML: " + plain + redefined
      + (lacksQuotes(line) ? "; text needs quotes around it" : "")
  }

  /// Leaves out what the parser quotes, save single characters and what it expected instead.
  private static func withoutValues(_ message: String) -> String {
    var kept: [Substring] = []
    for part in message.split(separator: "'", omittingEmptySubsequences: false) {
      let isQuoted = kept.count % 2 == 1
      let isExpected = kept.last?.hasSuffix("expected ") == true
      kept.append(!isQuoted || isExpected || part.count <= 1 ? part : "...")
    }
    return kept.joined(separator: "'")
  }

  /// What is defined on a line.
  private static func key(of line: Substring) -> String? {
    let key = line.prefix { $0 != "=" && $0 != "#" }.drop { $0 == " " || $0 == "\t" || $0 == "[" }
    let end = key.lastIndex { $0 != " " && $0 != "\t" && $0 != "]" && $0 != "\r" }
    return end.map { String(key[...$0]) }
  }

  /// Whether the value of a line is a bare word, as in `type = auto`.
  private static func lacksQuotes(_ line: Substring) -> Bool {
    guard let equals = line.firstIndex(of: "=") else { return false }
    let value = line[line.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
    guard let first = value.first, first.isLetter || first == "/" || first == "~" else {
      return false
    }
    return !["true", "false", "inf", "nan"].contains { value.hasPrefix($0) }
  }
}
