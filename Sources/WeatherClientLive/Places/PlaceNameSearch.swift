// SPDX-License-Identifier: Apache-2.0

package import WeatherClient

/// The places with a name.
package struct PlaceNameMatches: Equatable, Sendable {
  /// The place to use, then the others, the most populous first, up to the limit of the search.
  package var places: [Place] = []
  /// Whether the names are equal to the searched name; otherwise they only begin with it.
  package var isExact = false
  /// Whether the first place is the most populous.
  package var isMostPopulous = true
  /// The number of places with the name, also beyond the limit.
  package var count = 0

  package init() {}
}

/// A search for places by name, without regard to case, accents and hyphens.
///
/// A place has its name and, above 50,000 inhabitants, alternate names.
struct PlaceNameSearch {
  /// The places with a name; the value is whether the name is an alternate name of the place.
  typealias Matches = [Int: Bool]

  /// The minimum number of letters of the beginning of a name.
  private static let minPrefixLetters = 3

  private let table: PlaceTable
  private let letters: [UInt16: [UInt16]]

  init(_ table: PlaceTable) {
    self.table = table
    letters = table.letters()
  }

  /// Returns the places with the name or, if there are none, the places with a name that begins
  /// with it.
  func places(named name: String) -> (matches: Matches, isExact: Bool) {
    let key = key(of: name)
    guard let first = key.first else { return ([:], false) }
    var (equal, beginning): (Matches, Matches) = ([:], [:])
    table.forEachAlternateName(beginningWith: key) { index, isEqual in
      if isEqual { equal[index] = true } else { beginning[index] = true }
    }
    table.forEachName { index, bytes in
      // Most names have another first letter, and their keys are not needed.
      guard let letter = bytes.first, letter | 0x20 == first || letter < 0x41 || letter >= 0x80
      else { return }
      let other = self.key(of: String(decoding: bytes, as: UTF8.self))
      guard other.starts(with: key) else { return }
      if other.count == key.count { equal[index] = false } else { beginning[index] = false }
    }
    if !equal.isEmpty { return (equal, true) }
    let letterCount = name.count { $0 != " " }
    return (letterCount >= Self.minPrefixLetters ? beginning : [:], false)
  }

  /// Returns the indices of the zones in a country or a state of the United States.
  ///
  /// - Parameter region: The name of the region or its code; a text may be the code of both, such
  ///   as `IL` for Israel and Illinois.
  /// - Returns: The indices; empty if there is no such region.
  func zones(in region: String) -> Set<Int> { table.zones(inRegionNamed: key(of: region)) }

  /// Returns the bytes by which names are compared, as `Sources/CPlaces/generate.py` describes.
  func key(of name: String) -> [UInt8] {
    var key: [UInt8] = []
    var window = 0
    var isAfterBlank = false
    func append(_ value: Int) {
      guard value != 0x20 else {
        isAfterBlank = !key.isEmpty
        return
      }
      if isAfterBlank { key.append(0x20) }
      isAfterBlank = false
      switch value {
      case ..<0x80: key.append(UInt8(value))
      case ..<0x3400:
        if window != value >> 7 { key += [1, UInt8(value >> 7)] }
        window = value >> 7
        key.append(UInt8(0x80 | value & 0x7F))
      default:
        if window != 0x3400 { key.append(2) }
        window = 0x3400
        key += [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
      }
    }
    for scalar in name.lowercased().unicodeScalars {
      let replacement = ("a"..."z").contains(scalar) ? nil : UInt16(exactly: scalar.value)
      if let replacement = replacement.flatMap({ letters[$0] }) {
        for unit in replacement { append(Int(unit)) }
      } else {
        append(Int(scalar.value))
      }
    }
    return key
  }
}
