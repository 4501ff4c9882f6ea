// SPDX-License-Identifier: Apache-2.0

package import WeatherClient

/// The places with a name.
package struct PlaceNameMatches: Equatable, Sendable {
  /// The places, the most populous first, up to the limit of the search.
  package var places: [Place] = []
  /// Whether the names are equal to the searched name; otherwise they only begin with it.
  package var isExact = false
  /// The number of places with the name, also beyond the limit.
  package var count = 0

  package init() {}
}

/// A search for places by name, without regard to case, accents and hyphens.
struct PlaceNameSearch {
  /// The minimum length of the beginning of a name.
  private static let minPrefixLength = 3

  private let name: [UInt8]

  init(_ name: String) { self.name = Self.folded(name) }

  /// Returns the indices of the places with the name or, if there are none, of the places whose
  /// names begin with it.
  func run(_ table: PlaceTable) -> (indices: [Int], isExact: Bool) {
    guard let first = name.first else { return ([], false) }
    var (equal, beginning): ([Int], [Int]) = ([], [])
    table.forEachName { index, bytes in
      // Most names have another first letter, and need not be folded.
      guard let letter = bytes.first, letter >= 0x80 || letter | 0x20 == first || letter == first
      else { return }
      let other = Self.folded(String(decoding: bytes, as: UTF8.self))
      guard other.starts(with: name) else { return }
      if other.count == name.count { equal.append(index) } else { beginning.append(index) }
    }
    if !equal.isEmpty { return (equal, true) }
    return (name.count >= Self.minPrefixLength ? beginning : [], false)
  }

  /// Returns a name in lower case without accents, with blanks for hyphens and apostrophes.
  static func folded(_ name: String) -> [UInt8] {
    var folded: [UInt8] = []
    for scalar in name.lowercased().unicodeScalars {
      switch scalar {
      case " ", "-", "'", "’", "‘", "ʻ", "ʼ", "`":
        if let last = folded.last, last != UInt8(ascii: " ") { folded.append(UInt8(ascii: " ")) }
      // Combining accents.
      case "\u{300}"..."\u{36F}": break
      case _ where scalar.isASCII: folded.append(UInt8(truncatingIfNeeded: scalar.value))
      default: folded += (baseLetters[scalar] ?? String(scalar)).utf8
      }
    }
    while folded.last == UInt8(ascii: " ") { folded.removeLast() }
    return folded
  }

  /// The letters without accents, for the Latin letters of place names.
  private static let baseLetters: [Unicode.Scalar: String] = {
    let groups = [
      ("a", "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"), ("ae", "æ"), ("c", "çćĉċč"), ("d", "ďđḍḑ"), ("d", "ð"),
      ("e", "èéêëēĕėęěẹẻẽếềểễệə"), ("g", "ĝğġģǧ"), ("h", "ĥħḥḩ"), ("i", "ìíîïĩīĭįıịỉ"), ("j", "ĵ"),
      ("k", "ķḵ"), ("l", "ĺļľŀłḷ"), ("n", "ñńņňŋṇ"), ("o", "òóôõöøōŏőơọỏốồổỗộớờởỡợ"), ("oe", "œ"),
      ("r", "ŕŗřṛ"), ("s", "śŝşšșṣ"), ("ss", "ß"), ("t", "ţťŧțṭ"), ("th", "þ"),
      ("u", "ùúûüũūŭůűųưụủứừửữự"), ("w", "ŵ"), ("y", "ýÿŷỳỵỷỹ"), ("z", "źżžẓ"),
    ]
    var letters: [Unicode.Scalar: String] = [:]
    for (base, accented) in groups {
      for scalar in accented.unicodeScalars { letters[scalar] = base }
    }
    return letters
  }()
}
