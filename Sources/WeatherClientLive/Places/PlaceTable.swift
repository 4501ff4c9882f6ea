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
  private static let bandCount = 180
  private static let recordBytes = 13
  private static let placesPerBlock = 16

  private let bytes: UnsafeRawBufferPointer
  private let owner: PlaceBytes?
  /// The number of places.
  let count: Int
  private let zoneCount: Int
  private let bandsOffset: Int
  private let recordsOffset: Int
  private let blocksOffset: Int
  private let namesOffset: Int
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
    let header = 20
    guard bytes.count >= header + (Self.bandCount + 1) * 4 else { return nil }
    func number<Value: FixedWidthInteger>(_ offset: Int, as: Value.Type) -> Value {
      Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    guard number(0, as: UInt64.self) == Self.magic, number(8, as: UInt16.self) == 1 else {
      return nil
    }
    zoneCount = Int(number(10, as: UInt16.self))
    count = Int(number(12, as: UInt32.self))
    bandsOffset = header
    recordsOffset = header + (Self.bandCount + 1) * 4
    blocksOffset = recordsOffset + count * Self.recordBytes
    namesOffset = blocksOffset + (count + Self.placesPerBlock - 1) / Self.placesPerBlock * 4
    zonesOffset = namesOffset + Int(number(16, as: UInt32.self))
    guard zonesOffset <= bytes.count else { return nil }
  }

  /// Returns the indices of the places in a band that covers one degree of latitude.
  ///
  /// Bands are numbered from 0 at the south pole to 179. The range is empty for other numbers.
  func places(inBand band: Int) -> Range<Int> {
    guard (0..<Self.bandCount).contains(band),
      let first = load(bandsOffset + band * 4, as: UInt32.self),
      let end = load(bandsOffset + band * 4 + 4, as: UInt32.self), first < end, end <= count
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
    guard start + length <= zonesOffset else { return "" }
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
      guard start + length <= zonesOffset else { return }
      body(index, UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
      offset += length
    }
  }

  /// Returns the country code and the time zone at an index, or `nil` if the index is out of range.
  func zone(_ index: Int) -> (country: String, timeZone: String)? {
    guard index < zoneCount else { return nil }
    var offset = zonesOffset
    for number in 0... {
      guard let length = load(offset + 2, as: UInt8.self).map(Int.init) else { return nil }
      let end = offset + 3 + length
      guard end <= bytes.count else { return nil }
      if number == index {
        return (
          String(decoding: bytes[offset..<offset + 2], as: UTF8.self),
          String(decoding: bytes[offset + 3..<end], as: UTF8.self)
        )
      }
      offset = end
    }
    return nil
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
