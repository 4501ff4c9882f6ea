// SPDX-License-Identifier: Apache-2.0

/// An error in a rule or a selector, described for its author.
package struct PolicySyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  package var message: String

  package var description: String { message }

  init(_ message: String) { self.message = message }

  /// An unknown word; the message suggests the nearest known word or lists all of them.
  init(unknown word: String, kind: String, known: [String]) {
    let nearest = known.map { ($0, Self.distance(word, $0)) }.min { $0.1 < $1.1 }
    let hint =
      nearest.flatMap { $0.1 <= 2 ? "; did you mean \($0.0)?" : nil }
      ?? "; known: " + known.joined(separator: ", ")
    message = "\(Self.printable(word)) is \(kind)\(hint)"
  }

  /// A word of a command line that is neither a selector nor the name of a user.
  static func unknownUser(_ word: String) -> PolicySyntaxError {
    for known in ["everyone", "uid", "user", "unit"] where distance(word, known) <= 1 {
      let hint = known == "everyone" ? known : known + "="
      return PolicySyntaxError("\(printable(word)) is not known here; did you mean \(hint)?")
    }
    return PolicySyntaxError(
      "there is no user named \(printable(word)); use a user's name, uid=, unit=NAME.service or "
        + "everyone")
  }

  /// A rule or command without a selector, perhaps because a key is misspelled.
  static func missingSelector(_ words: [String]) -> PolicySyntaxError {
    let keys = ["uid=", "user=", "unit=", "everyone"]
    for word in words {
      let key = word.contains("=") ? String(word.prefix { $0 != "=" }) + "=" : word
      if keys.contains(where: { distance(key, $0) <= 2 }) {
        return PolicySyntaxError(unknown: key, kind: "not known here", known: keys)
      }
    }
    let instead =
      words.first.map { word in
        let isNumber = (1...10).contains(word.utf8.count) && word.utf8.allSatisfy { 48...57 ~= $0 }
        return ", not \(printable(word))" + (isNumber ? "; did you mean uid=\(word)?" : "")
      } ?? ""
    return PolicySyntaxError(
      "no selector; use everyone, uid=, user= or unit=" + instead)
  }

  /// Returns a word in a form that is safe on a terminal: short and without control characters.
  static func printable(_ word: String) -> String {
    let scalars = word.unicodeScalars.prefix(40).map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        "?"
      default: Character(scalar)
      }
    }
    return "'" + String(scalars) + "'"
  }

  /// Returns the edit distance between the first 32 bytes of `left` and all of `right`.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(32)), Array(right.utf8))
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var previous = row[0]
      row[0] = index + 1
      for (column, other) in right.enumerated() {
        let above = row[column + 1]
        row[column + 1] = min(above + 1, row[column] + 1, previous + (byte == other ? 0 : 1))
        previous = above
      }
    }
    return row[right.count]
  }
}
