// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The rules of a time zone of the IANA database: its offsets from UTC, with daylight saving.
///
/// The rules are read from the system's database, in the format of RFC 9636.
package struct ZoneRules: Equatable, Sendable {
  /// An offset from UTC and its abbreviation.
  package struct Offset: Equatable, Sendable {
    /// The offset in seconds, positive to the east.
    package var seconds: Int64
    /// The abbreviation, such as `CET` or `-03`.
    package var abbreviation: String
  }

  /// The system's time zone database.
  private static let folder = "/usr/share/zoneinfo"
  /// The maximum size of a file in bytes; the largest file of the database has 4 KB.
  private static let maxBytes = 65_536

  /// The Unix times of the changes, in ascending order.
  private var changes: [Int64] = []
  /// The index in ``offsets`` after each change.
  private var offsetIndices: [Int] = []
  /// The offsets of the zone; the first one is valid before all changes.
  private var offsets: [Offset] = []
  /// The rule for times after the last change; `nil` if the last offset stays.
  private var finalRule: YearlyZoneRule?

  /// Reads the rules of a zone of the system's database.
  ///
  /// Returns `nil` if the name is not an IANA name such as `Europe/London`, or if the system has no
  /// rules for the zone.
  package init?(named name: String) {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed),
      !name.hasPrefix("/"),
      let bytes = try? BoundedFile.read("\(Self.folder)/\(name)", limit: Self.maxBytes)
    else { return nil }
    self.init(bytes: bytes)
  }

  /// Whether a name may contain a byte; no name contains the dot of a relative path.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Decodes a file of the database, or returns `nil` if the file is damaged.
  package init?(bytes: [UInt8]) {
    var reader = ZoneFileReader(bytes)
    guard var header = reader.header() else { return nil }
    let hasLongTimes = header.version >= UInt8(ascii: "2")
    if hasLongTimes {
      reader.skip(header.blockBytes(timeBytes: 4))
      guard let second = reader.header() else { return nil }
      header = second
    }
    let timeBytes = hasLongTimes ? 8 : 4
    for _ in 0..<header.changeCount {
      guard let second = reader.integer(bytes: timeBytes) else { return nil }
      changes.append(second)
    }
    for _ in 0..<header.changeCount {
      guard let index = reader.integer(bytes: 1) else { return nil }
      offsetIndices.append(Int(index & 0xFF))
    }
    var names: [(seconds: Int64, index: Int)] = []
    for _ in 0..<header.offsetCount {
      guard let seconds = reader.integer(bytes: 4), reader.integer(bytes: 1) != nil,
        let index = reader.integer(bytes: 1), abs(seconds) <= 26 * 3600
      else { return nil }
      names.append((seconds, Int(index & 0xFF)))
    }
    guard let characters = reader.take(header.characterCount) else { return nil }
    offsets = names.map { seconds, index in
      let name = characters.dropFirst(index).prefix { $0 != 0 }
      return Offset(seconds: seconds, abbreviation: String(decoding: name, as: UTF8.self))
    }
    reader.skip(header.trailingBytes(timeBytes: timeBytes))
    guard !offsets.isEmpty, offsetIndices.allSatisfy(offsets.indices.contains),
      zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    if hasLongTimes { finalRule = reader.line().flatMap(YearlyZoneRule.init) }
  }

  /// Returns the offset at a time.
  package func offset(at time: UTCTime) -> Offset {
    let second = time.secondsSince1970
    if let finalRule, second >= changes.last ?? .min { return finalRule.offset(at: second) }
    // Find the number of changes until the time.
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = low + (high - low) / 2
      if changes[middle] <= second { low = middle + 1 } else { high = middle }
    }
    return offsets[low == 0 ? 0 : offsetIndices[low - 1]]
  }
}

/// Reads the parts of a file of the time zone database.
private struct ZoneFileReader {
  struct Header {
    var version: UInt8
    /// The number of indicators of universal time, of standard time, and of leap seconds.
    var universalCount: Int
    var standardCount: Int
    var leapCount: Int
    var changeCount: Int
    var offsetCount: Int
    var characterCount: Int

    func blockBytes(timeBytes: Int) -> Int {
      changeCount * (timeBytes + 1) + offsetCount * 6 + characterCount
        + trailingBytes(timeBytes: timeBytes)
    }

    /// The size of the parts after the abbreviations, which are not used.
    func trailingBytes(timeBytes: Int) -> Int {
      leapCount * (timeBytes + 4) + standardCount + universalCount
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func skip(_ count: Int) { rest = rest.dropFirst(max(count, 0)) }

  /// Reads a signed integer, the most significant byte first.
  mutating func integer(bytes: Int) -> Int64? {
    guard let taken = take(bytes), let first = taken.first else { return nil }
    return taken.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }

  mutating func header() -> Header? {
    guard let start = take(20), start.starts(with: Array("TZif".utf8)) else { return nil }
    var counts: [Int] = []
    for _ in 0..<6 {
      // A file has fewer bytes than this limit.
      guard let count = integer(bytes: 4), (0...65_536).contains(count) else { return nil }
      counts.append(Int(count))
    }
    return Header(
      version: start[4], universalCount: counts[0], standardCount: counts[1], leapCount: counts[2],
      changeCount: counts[3], offsetCount: counts[4], characterCount: counts[5])
  }

  /// Reads the line at the end of the file, which is between two line feeds.
  mutating func line() -> String? {
    guard rest.first == 0x0A else { return nil }
    return String(decoding: rest.dropFirst().prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
