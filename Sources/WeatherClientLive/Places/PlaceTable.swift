// SPDX-License-Identifier: Apache-2.0

internal import CPlaces
internal import Positioning
internal import WeatherClient

/// The binary table of the gazetteer, which is read directly from memory.
///
/// `Sources/CPlaces/generate.py` describes the layout. The initializers return `nil` if the
/// header is invalid. A search in a damaged table may return a wrong place or none, but never
/// traps.
///
/// Sendable, since the bytes are never written. The bytes exist as long as the program or `owner`.
struct PlaceTable: @unchecked Sendable {
  private static let magic: UInt64 = 0x4543_414C_5058_4946  // "FIXPLACE"
  private static let bandsOffset = 28
  private static let bandCount = 180
  private static let recordBytes = 13
  private static let placesPerBlock = 16

  private let bytes: UnsafeRawBufferPointer
  private let owner: PlaceBytes?
  /// The number of places.
  let count: Int
  private let zoneCount: Int
  private let regionCount: Int
  private let recordsOffset: Int
  private let blocksOffset: Int
  private let namesOffset: Int
  private let alternatesOffset: Int
  private let lettersOffset: Int
  private let zonesOffset: Int

  /// The table that is linked into the program, or `nil` if its header is damaged.
  static let embedded: PlaceTable? = {
    var length = 0
    let start = fixcast_places(&length)
    return PlaceTable(UnsafeRawBufferPointer(start: start, count: length), owner: nil)
  }()

  /// Creates a table from a copy of the bytes, or returns `nil` if the header is invalid.
  init?(_ bytes: [UInt8]) {
    let owner = PlaceBytes(bytes)
    self.init(UnsafeRawBufferPointer(owner.bytes), owner: owner)
  }

  private init?(_ bytes: UnsafeRawBufferPointer, owner: PlaceBytes?) {
    self.bytes = bytes
    self.owner = owner
    recordsOffset = Self.bandsOffset + (Self.bandCount + 1) * 4
    guard bytes.count >= recordsOffset else { return nil }
    func number<Value: FixedWidthInteger>(_ offset: Int, as: Value.Type) -> Value {
      Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    guard number(0, as: UInt64.self) == Self.magic, number(8, as: UInt16.self) == 2 else {
      return nil
    }
    zoneCount = Int(number(10, as: UInt16.self))
    regionCount = Int(number(12, as: UInt16.self))
    count = Int(number(16, as: UInt32.self))
    blocksOffset = recordsOffset + count * Self.recordBytes
    namesOffset = blocksOffset + (count + Self.placesPerBlock - 1) / Self.placesPerBlock * 4
    alternatesOffset = namesOffset + Int(number(20, as: UInt32.self))
    lettersOffset = alternatesOffset + Int(number(24, as: UInt32.self))
    zonesOffset = lettersOffset + Int(number(14, as: UInt16.self)) * 6
    guard zonesOffset <= bytes.count else { return nil }
  }

  /// Returns the indices of the places in a band that covers one degree of latitude.
  ///
  /// Bands are numbered from 0 at the south pole to 179. The range is empty for other numbers.
  func places(inBand band: Int) -> Range<Int> {
    guard (0..<Self.bandCount).contains(band),
      let first = load(Self.bandsOffset + band * 4, as: UInt32.self),
      let end = load(Self.bandsOffset + band * 4 + 4, as: UInt32.self), first < end, end <= count
    else { return 0..<0 }
    return Int(first)..<Int(end)
  }

  /// Returns the record of a place, or `nil` if the index is out of range.
  func record(_ index: Int) -> PlaceRecord? {
    guard index >= 0, index < count else { return nil }
    let offset = recordsOffset + index * Self.recordBytes
    guard let low = load(offset, as: UInt64.self), let middle = load(offset + 8, as: UInt32.self),
      let high = load(offset + 12, as: UInt8.self)
    else { return nil }
    return PlaceRecord(low: low, high: UInt64(middle) | UInt64(high) << 32)
  }

  /// Returns the name of a place, or an empty string if the table is damaged.
  func name(_ index: Int) -> String {
    let first = index - index % Self.placesPerBlock
    guard
      var offset = load(blocksOffset + first / Self.placesPerBlock * 4, as: UInt32.self)
        .map(Int.init), let length = record(index)?.nameBytes
    else { return "" }
    for before in first..<index { offset += record(before)?.nameBytes ?? 0 }
    let start = namesOffset + offset
    guard start + length <= alternatesOffset else { return "" }
    return String(decoding: bytes[start..<start + length], as: UTF8.self)
  }

  /// Calls a closure with the index and the bytes of each name, in the order of the table.
  func forEachName(_ body: (Int, UnsafeRawBufferPointer) -> Void) {
    var offset = 0
    for index in 0..<count {
      if index % Self.placesPerBlock == 0 {
        let block = index / Self.placesPerBlock
        guard let start = load(blocksOffset + block * 4, as: UInt32.self) else { return }
        offset = Int(start)
      }
      guard let length = record(index)?.nameBytes else { return }
      let start = namesOffset + offset
      guard start + length <= alternatesOffset else { return }
      body(index, UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
      offset += length
    }
  }

  /// Calls a closure for each alternate name whose key begins with a key.
  ///
  /// - Parameters:
  ///   - key: The beginning of the keys.
  ///   - body: Takes the index of the place, and whether the keys are equal.
  func forEachAlternateName(beginningWith key: [UInt8], _ body: (Int, Bool) -> Void) {
    let names = UnsafeRawBufferPointer(rebasing: bytes[alternatesOffset..<lettersOffset])
    var (offset, index) = (0, 0)
    while offset + 3 <= names.count {
      index += Int(names[offset]) | Int(names[offset + 1]) << 8
      let nameCount = Int(names[offset + 2])
      offset += 3
      // The length of the beginning that the name before and the key have in common.
      var common = 0
      for _ in 0..<nameCount {
        guard index < count, offset + 2 <= names.count else { return }
        let shared = Int(names[offset] >> 4)
        var length = Int(names[offset] & 0xF)
        offset += 1
        if length == 0 {
          length = Int(names[offset])
          offset += 1
        }
        let end = offset + length
        guard end <= names.count else { return }
        // Otherwise this name differs from the key where the name before does.
        if shared <= common {
          common = shared
          while offset < end, common < key.count, names[offset] == key[common] {
            (offset, common) = (offset + 1, common + 1)
          }
        }
        if common == key.count { body(index, shared + length == key.count) }
        offset = end
      }
    }
  }

  /// Returns the letters that replace each UTF-16 code unit in keys.
  func letters() -> [UInt16: [UInt16]] {
    var letters: [UInt16: [UInt16]] = [:]
    for offset in stride(from: lettersOffset, to: zonesOffset, by: 6) {
      guard let unit = load(offset, as: UInt16.self), let first = load(offset + 2, as: UInt16.self),
        let second = load(offset + 4, as: UInt16.self)
      else { break }
      letters[unit] = [first, second].filter { $0 != 0 }
    }
    return letters
  }

  /// A country, or a state of the United States.
  struct Region: Equatable {
    /// The two-letter country code of ISO 3166.
    let country: String
    /// The two-letter code of the state; `nil` outside the United States and for the whole country.
    let state: String?

    /// Whether the region is the other one, or a state of it.
    func isIn(_ other: Region) -> Bool {
      country == other.country && (other.state == nil || state == other.state)
    }
  }

  /// Returns the region and the time zone at an index, or `nil` if the index is out of range.
  func zone(_ index: Int) -> (region: Region, timeZone: String)? {
    guard index < zoneCount else { return nil }
    var offset = zonesOffset
    for number in 0... {
      guard let text = text(at: offset) else { return nil }
      if number == index {
        return (region(at: offset), String(decoding: bytes[text], as: UTF8.self))
      }
      offset = text.upperBound
    }
    return nil
  }

  /// Returns the indices of the zones in the countries and states with a name.
  ///
  /// - Parameter key: The key of the name or of the code.
  /// - Returns: The indices; empty if there is no such country or state.
  func zones(inRegionNamed key: [UInt8]) -> Set<Int> {
    var (zones, named): ([Region], [Region]) = ([], [])
    var offset = zonesOffset
    for number in 0..<zoneCount + regionCount {
      guard let text = text(at: offset) else { break }
      if number < zoneCount {
        zones.append(region(at: offset))
      } else if bytes[text].elementsEqual(key) {
        named.append(region(at: offset))
      }
      offset = text.upperBound
    }
    return Set(zones.indices.filter { index in named.contains { zones[index].isIn($0) } })
  }

  /// Returns the range of the text of a zone or region, or `nil` if it is not in the table.
  private func text(at offset: Int) -> Range<Int>? {
    guard let length = load(offset + 4, as: UInt8.self).map(Int.init) else { return nil }
    let start = offset + 5
    return start + length <= bytes.count ? start..<start + length : nil
  }

  private func region(at offset: Int) -> Region {
    let state = String(decoding: bytes[offset + 2..<offset + 4], as: UTF8.self)
    return Region(
      country: String(decoding: bytes[offset..<offset + 2], as: UTF8.self),
      state: state == "  " ? nil : state)
  }

  private func load<Value: FixedWidthInteger>(_ offset: Int, as: Value.Type) -> Value? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
    return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}

/// A buffer with a stable address, which is deallocated with the last reference.
final class PlaceBytes: Sendable {
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  init(_ bytes: [UInt8]) {
    self.bytes = .allocate(byteCount: bytes.count, alignment: 8)
    self.bytes.copyBytes(from: bytes)
  }

  deinit { bytes.deallocate() }
}
