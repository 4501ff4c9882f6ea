// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Reads the points of a GPX track or route.
///
/// This is not an XML parser. Only the tags `trkpt` and `rtept` and the tag `ele` in them are read,
/// with or without a namespace prefix.
struct GPXReader {
  static let maxByteCount = 32 << 20
  static let maxPoints = 200_000

  private var rest: ArraySlice<UInt8>
  private var line = 1
  /// The track points and route points, keyed by tag name.
  private var points: [String: [SimulatedRoute.Waypoint]] = [:]
  /// The tag name of the point that has not been closed yet.
  private var open: String?

  private init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Returns the track points of a file, or its route points if it has no track.
  static func waypoints(of bytes: [UInt8]) throws(GPXError) -> [SimulatedRoute.Waypoint] {
    guard bytes.count <= maxByteCount else {
      throw GPXError(kind: .tooLarge(limit: maxByteCount), line: 1)
    }
    var reader = GPXReader(bytes)
    try reader.read()
    guard let points = reader.points["trkpt"] ?? reader.points["rtept"] else {
      throw GPXError(kind: .noPoints, line: reader.line)
    }
    return points
  }

  private mutating func read() throws(GPXError) {
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      skip(to: start + 1)
      if rest.starts(with: "!--".utf8) {
        try skip(past: "-->")
      } else if rest.starts(with: "![CDATA[".utf8) {
        try skip(past: "]]>")
      } else {
        try readTag()
      }
    }
    skip(to: rest.endIndex)
  }

  /// Reads and processes a tag, after its `<`.
  private mutating func readTag() throws(GPXError) {
    let startLine = line
    guard let end = tagEnd else { throw GPXError(kind: .unfinished, line: startLine) }
    let tag = rest[..<end]
    skip(to: end + 1)
    let isEnd = tag.first == UInt8(ascii: "/")
    let isSelfClosing = tag.last == UInt8(ascii: "/")
    let name = tag.dropFirst(isEnd ? 1 : 0).prefix { !Self.isSpace($0) && $0 != UInt8(ascii: "/") }
    let kind = Self.text(name.split(separator: UInt8(ascii: ":")).last ?? [])
    switch kind {
    case "trkpt", "rtept":
      open = isEnd || isSelfClosing ? nil : kind
      if !isEnd { try add(kind, Self.attributes(of: tag), startLine) }
    case "ele" where !isEnd && !isSelfClosing:
      if let open { try readElevation(of: open) }
    default: break
    }
  }

  /// The index of the `>` that ends a tag, outside of quoted values.
  private var tagEnd: Int? {
    var quote: UInt8?
    return rest.firstIndex { byte in
      if byte == quote {
        quote = nil
      } else if quote == nil, Self.isQuote(byte) {
        quote = byte
      }
      return quote == nil && byte == UInt8(ascii: ">")
    }
  }

  private static func attributes(of tag: ArraySlice<UInt8>) -> [String: String] {
    var (values, rest) = ([String: String](), tag)
    while let start = rest.firstIndex(where: isQuote),
      let end = rest[(start + 1)...].firstIndex(of: rest[start])
    {
      let names = rest[..<start].split { isSpace($0) || $0 == UInt8(ascii: "=") }
      if let name = names.last { values[text(name)] = text(rest[(start + 1)..<end]) }
      rest = rest[(end + 1)...]
    }
    return values
  }

  private mutating func add(
    _ kind: String, _ attributes: [String: String], _ startLine: Int
  ) throws(GPXError) {
    func degrees(_ name: String, limit: Double) throws(GPXError) -> Double {
      guard let value = attributes[name] else {
        throw GPXError(kind: .missingAttribute(name), line: startLine)
      }
      guard let degrees = Double(value), abs(degrees) <= limit else {
        throw GPXError(kind: .badNumber(field: name, value: value), line: startLine)
      }
      return degrees
    }
    let (latitude, longitude) = (try degrees("lat", limit: 90), try degrees("lon", limit: 180))
    guard points.values.reduce(0, { $0 + $1.count }) < Self.maxPoints else {
      throw GPXError(kind: .tooManyPoints(limit: Self.maxPoints), line: startLine)
    }
    guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      return
    }
    points[kind, default: []].append(SimulatedRoute.Waypoint(coordinate: place))
  }

  private mutating func readElevation(of kind: String) throws(GPXError) {
    let startLine = line
    guard let end = rest.firstIndex(of: UInt8(ascii: "<")) else { return }
    let raw = Self.text(rest[..<end])
    skip(to: end)
    guard let value = Double(raw), abs(value) < 100_000 else {
      throw GPXError(kind: .badNumber(field: "ele", value: raw), line: startLine)
    }
    guard let last = points[kind]?.indices.last else { return }
    points[kind]?[last].altitudeMetersAboveSeaLevel = value
  }

  // MARK: Bytes

  private mutating func skip(to index: Int) {
    line += rest[..<index].count { $0 == 0x0A }
    rest = rest[index...]
  }

  private mutating func skip(past ending: StaticString) throws(GPXError) {
    let bytes = ending.withUTF8Buffer { Array($0) }
    let end = rest.indices.first { rest[$0] == bytes[0] && rest[$0...].starts(with: bytes) }
    guard let end else { throw GPXError(kind: .unfinished, line: line) }
    skip(to: end + bytes.count)
  }

  /// Returns bytes as text without surrounding space, limited to 64 bytes.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    return String(decoding: trimmed.prefix(64), as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }
}
