// SPDX-License-Identifier: Apache-2.0

/// A set of satellites, as an inline bit set without an allocation.
///
/// Two signals of one satellite are one element.
struct SatelliteSet: Sendable {
  private var words = InlineArray<32, UInt64>(repeating: 0)
  /// The number of satellites in the set.
  private(set) var count = 0

  mutating func insert(_ id: SatelliteID) {
    let (word, bit) = Self.place(of: id)
    count &+= words[word] & bit == 0 ? 1 : 0
    words[word] |= bit
  }

  func contains(_ id: SatelliteID) -> Bool {
    let (word, bit) = Self.place(of: id)
    return words[word] & bit != 0
  }

  @inline(__always)
  private static func place(of id: SatelliteID) -> (word: Int, bit: UInt64) {
    // Eight systems of 256 numbers are 2,048 bits.
    let index = Int(id.system.rawValue & 7) &<< 8 | Int(id.number)
    return (index &>> 6, (1 as UInt64) &<< UInt64(index & 63))
  }
}
