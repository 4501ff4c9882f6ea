// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import Receivers
internal import SystemSupport

/// Reads the points of a GPX track or route.
///
/// Not an XML parser: it looks for `trkpt` and `rtept` tags and the `ele` within them, whatever
/// stands around, with or without a namespace prefix. What it does not look for it does not judge.
struct GPXReader {
  static let largestByteCount = 32 << 20
  static let mostPoints = 200_000

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var trackPoints: [SimulatedRoute.Waypoint] = []
  private var routePoints: [SimulatedRoute.Waypoint] = []
  /// The point whose end tag has not come yet.
  private var isInTrackPoint = false
  private var isInRoutePoint = false

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The track points of a file, or its route points where it has no track.
  static func waypoints(of bytes: [UInt8]) throws(GPXError) -> [SimulatedRoute.Waypoint] {
    guard bytes.count <= largestByteCount else {
      throw GPXError(kind: .tooLarge(limit: largestByteCount), line: 1)
    }
    var reader = GPXReader(bytes)
    try reader.read()
    let points = reader.trackPoints.isEmpty ? reader.routePoints : reader.trackPoints
    guard !points.isEmpty else { throw reader.error(.noPoints) }
    return points
  }

  private mutating func read() throws(GPXError) {
    while skip(to: UInt8(ascii: "<")) {
      if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<![CDATA[") {
        try skip(past: "]]>")
      } else {
        try tag()
      }
    }
  }

  /// Reads one tag from its `<` and acts on it.
  private mutating func tag() throws(GPXError) {
    let startLine = line
    advance()
    let isEnd = peek() == UInt8(ascii: "/")
    if isEnd { advance() }
    let name = word()
    let kind = name.split(separator: ":").last.map(String.init) ?? ""
    let isPoint = kind == "trkpt" || kind == "rtept"
    let (latitude, longitude, isSelfClosing) = try attributes(startLine)
    if isPoint, !isEnd {
      try add(kind, latitude, longitude, startLine)
      isInTrackPoint = kind == "trkpt" && !isSelfClosing
      isInRoutePoint = kind == "rtept" && !isSelfClosing
    } else if isPoint {
      isInTrackPoint = false
      isInRoutePoint = false
    } else if kind == "ele", !isEnd, !isSelfClosing, isInTrackPoint || isInRoutePoint {
      try elevation()
    }
  }

  private mutating func attributes(
    _ startLine: Int
  ) throws(GPXError) -> (latitude: String?, longitude: String?, isSelfClosing: Bool) {
    var latitude: String?
    var longitude: String?
    var isSelfClosing = false
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: ">"):
        advance()
        return (latitude, longitude, isSelfClosing)
      case UInt8(ascii: "/"):
        isSelfClosing = true
        advance()
      case _ where Self.isNameByte(byte):
        isSelfClosing = false
        let name = word()
        skipSpace()
        guard peek() == UInt8(ascii: "=") else { continue }
        advance()
        skipSpace()
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { continue }
        advance()
        let start = position
        guard skip(to: quote) else { throw GPXError(kind: .unfinished, line: startLine) }
        if name == "lat" { latitude = text(start..<position) }
        if name == "lon" { longitude = text(start..<position) }
        advance()
      default: advance()
      }
    }
    throw GPXError(kind: .unfinished, line: startLine)
  }

  private mutating func add(
    _ kind: String, _ latitude: String?, _ longitude: String?, _ startLine: Int
  ) throws(GPXError) {
    guard let latitude else { throw GPXError(kind: .missingAttribute("lat"), line: startLine) }
    guard let longitude else { throw GPXError(kind: .missingAttribute("lon"), line: startLine) }
    guard let lat = Double(latitude), abs(lat) <= 90 else {
      throw GPXError(kind: .badNumber(field: "lat", value: latitude), line: startLine)
    }
    guard let lon = Double(longitude), abs(lon) <= 180,
      let coordinate = Coordinate(latitudeDegrees: lat, longitudeDegrees: lon)
    else { throw GPXError(kind: .badNumber(field: "lon", value: longitude), line: startLine) }
    guard trackPoints.count + routePoints.count < Self.mostPoints else {
      throw GPXError(kind: .tooManyPoints(limit: Self.mostPoints), line: startLine)
    }
    let point = SimulatedRoute.Waypoint(coordinate: coordinate)
    if kind == "trkpt" { trackPoints.append(point) } else { routePoints.append(point) }
  }

  private mutating func elevation() throws(GPXError) {
    let (start, startLine) = (position, line)
    guard skip(to: UInt8(ascii: "<")) else { return }
    let raw = text(start..<position)
    guard let value = Double(raw), abs(value) < 100_000 else {
      throw GPXError(kind: .badNumber(field: "ele", value: raw), line: startLine)
    }
    if isInTrackPoint, let last = trackPoints.indices.last {
      trackPoints[last].altitudeMetersAboveSeaLevel = value
    } else if isInRoutePoint, let last = routePoints.indices.last {
      routePoints[last].altitudeMetersAboveSeaLevel = value
    }
  }

  // MARK: Bytes

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func advance() {
    guard position < bytes.count else { return }
    if bytes[position] == 0x0A { line += 1 }
    position += 1
  }

  /// Moves to the next such byte; to the end, and false, where there is none.
  private mutating func skip(to wanted: UInt8) -> Bool {
    while let byte = peek() {
      if byte == wanted { return true }
      advance()
    }
    return false
  }

  private mutating func skip(past ending: StaticString) throws(GPXError) {
    let startLine = line
    while position < bytes.count {
      if starts(with: ending) {
        for _ in 0..<ending.utf8CodeUnitCount { advance() }
        return
      }
      advance()
    }
    throw GPXError(kind: .unfinished, line: startLine)
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { advance() }
  }

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func word() -> String {
    let start = position
    while let byte = peek(), Self.isNameByte(byte) { advance() }
    return text(start..<position)
  }

  /// The text of a range without the space around it; at most what a number or a name needs.
  private func text(_ range: Range<Int>) -> String {
    let isSpace = { (byte: UInt8) in byte <= 0x20 }
    let trimmed = bytes[range].drop(while: isSpace)
    let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
    return String(decoding: trimmed[trimmed.startIndex..<end].prefix(64), as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"),
      UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }

  private func error(_ kind: GPXError.Kind) -> GPXError { GPXError(kind: kind, line: line) }
}
