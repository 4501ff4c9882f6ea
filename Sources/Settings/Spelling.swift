// SPDX-License-Identifier: Apache-2.0

/// What somebody may have meant.
public enum Spelling {
  /// Longer names are nobody's slip of the finger, and comparing them costs their lengths' product.
  private static let longest = 64

  /// The word nearest to one that is unknown.
  ///
  /// Near is a slip in three letters, a name without its unit, `interval` for `interval_seconds`, or
  /// one cut short, `warn` for `warning`. Capitals and hyphens are no difference.
  ///
  /// - Parameters:
  ///   - word: What was written.
  ///   - words: What could have been.
  /// - Returns: The nearest, of several the first; `nil` where none is near.
  public static func nearest(to word: String, in words: [String]) -> String? {
    guard !word.isEmpty, word.utf8.count <= longest else { return nil }
    let written = normal(word)
    var best: (word: String, distance: Int)?
    for candidate in words where candidate.utf8.count <= longest {
      let limit = max(1, min(written.count, candidate.utf8.count) / 3)
      let distance = distance(from: written, to: normal(candidate))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    if let best { return best.word }
    if let whole = words.first(where: { isShortened(written, normal($0)) }) { return whole }
    // Where several begin so, nobody knows which was meant.
    let begun = words.filter { isBegun(written, normal($0)) }
    return begun.count == 1 ? begun.first : nil
  }

  /// Whether one begins with the other, of which there is enough to tell.
  private static func isBegun(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (short, long) = one.count < other.count ? (one, other) : (other, one)
    return short.count >= 3 && long.starts(with: short)
  }

  /// Whether one is the other without its last parts.
  private static func isShortened(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (short, long) = one.count < other.count ? (one, other) : (other, one)
    return short.count >= 2 && long.starts(with: short + [UInt8(ascii: "_")])
  }

  private static func normal(_ word: String) -> [UInt8] {
    word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  }

  /// How many letters have to be put in, left out, changed, or swapped with their neighbour; no
  /// letter twice (Damerau and Levenshtein's distance in its restricted form).
  static func distance(from one: [UInt8], to other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, counterpart) in other.enumerated() {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (letter == counterpart ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == counterpart {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
