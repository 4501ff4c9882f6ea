// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Reads the points of a GPX file that a `gpx` sink wrote, line by line.
///
/// This is not an XML parser: the sink writes each point and the beginning of each track on one
/// line.
struct GPXTrackFile {
  /// The maximum length of a line in bytes; longer lines are skipped.
  private static let maxLineBytes = 65_536

  private var line: [UInt8] = []
  private var source: String?
  private var isSimulated = false
  private var isReplayed = false

  /// Takes the next bytes of the file, and calls a closure for each point.
  mutating func read(_ bytes: Span<UInt8>, _ body: (Location) throws -> Void) rethrows {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte != UInt8(ascii: "\n") {
        if line.count <= Self.maxLineBytes { line.append(byte) }
        continue
      }
      if line.count <= Self.maxLineBytes, let location = location() { try body(location) }
      line.removeAll(keepingCapacity: true)
    }
  }

  /// Returns the point of the current line; `nil` for another line.
  private mutating func location() -> Location? {
    let text = String(decoding: line, as: UTF8.self)
    if text.contains("<trk>") {
      source = Self.element("src", in: text).map(Self.unescaped)
      isSimulated = text.contains("<desc>simulated")
      // The description has only one mark, the name has all.
      isReplayed = Self.element("name", in: text)?.contains("recorded") ?? false
    }
    guard let start = text.firstRange(of: "<trkpt "),
      let latitude = Self.between("lat=\"", "\"", in: text[start.upperBound...]).flatMap(
        Double.init),
      let longitude = Self.between("lon=\"", "\"", in: text[start.upperBound...])
        .flatMap(Double.init),
      let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return nil }
    var location = Location(
      coordinate: coordinate, time: Self.element("time", in: text).flatMap(UTCTime.init(argument:)))
    location.altitudeMetersAboveSeaLevel = Self.element("ele", in: text).flatMap(Double.init)
    location.satellitesUsed = Self.element("sat", in: text).flatMap(Int.init)
    location.dilution.horizontal = Self.element("hdop", in: text).flatMap(Double.init)
    if Self.element("fix", in: text) != "2d" { location.mode = .threeDimensional }
    location.source = source
    (location.isSimulated, location.isReplayed) = (isSimulated, isReplayed)
    return location
  }

  private static func element(_ name: String, in text: String) -> String? {
    between("<\(name)>", "</\(name)>", in: text[...])
  }

  private static func between(_ begin: String, _ end: String, in text: Substring) -> String? {
    guard let start = text.firstRange(of: begin),
      let stop = text[start.upperBound...].firstRange(of: end)
    else { return nil }
    return String(text[start.upperBound..<stop.lowerBound])
  }

  private static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
