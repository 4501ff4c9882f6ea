// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// A GeoJSON feature collection (RFC 7946) with a line for each segment of a track.
///
/// A segment of one location is a point, since a line has at least two positions. The properties
/// of a feature are the time of its first location, the device, `simulated` and `replayed`.
struct GeoJSONTrack {
  /// The first location of a segment, until the second one.
  private var first: Location?
  private var isInLine = false
  private var hasHead = false
  private var hasFeature = false

  /// Returns the text of a location.
  mutating func add(_ location: Location, beginsSegment: Bool) -> String {
    var text = head()
    if beginsSegment || (first == nil && !isInLine) {
      text += endOfSegment()
      first = location
    } else if let begin = first {
      text += feature(begin, "LineString") + "[" + Self.position(begin) + ","
      text += Self.position(location)
      (first, isInLine) = (nil, true)
    } else {
      text += "," + Self.position(location)
    }
    return text
  }

  /// Returns the end of the collection.
  mutating func finish() -> String { head() + endOfSegment() + "]}\n" }

  private mutating func head() -> String {
    defer { hasHead = true }
    return hasHead ? "" : "{\"type\":\"FeatureCollection\",\"features\":["
  }

  private mutating func endOfSegment() -> String {
    defer { (first, isInLine) = (nil, false) }
    if let first { return feature(first, "Point") + Self.position(first) + "}}" }
    return isInLine ? "]}}" : ""
  }

  /// Returns the beginning of a feature, up to its coordinates.
  private mutating func feature(_ location: Location, _ type: String) -> String {
    defer { hasFeature = true }
    var properties = JSONLine()
    properties.beginObject()
    properties.time("time", location.time)
    properties.string("device", location.source)
    if location.isSimulated { properties.boolean("simulated", true) }
    if location.isReplayed { properties.boolean("replayed", true) }
    properties.endObject()
    properties.endLine()
    let object = String(decoding: properties.bytes, as: UTF8.self).dropLast()
    return (hasFeature ? ",\n" : "\n")
      + "{\"type\":\"Feature\",\"properties\":\(object),\"geometry\":{\"type\":\"\(type)\","
      + "\"coordinates\":"
  }

  /// Returns longitude, latitude and, if it is known, the height above the ellipsoid.
  private static func position(_ location: Location) -> String {
    let height = location.altitudeMetersAboveEllipsoid.map { "," + Text.fixed($0, 2) } ?? ""
    return "[" + Text.fixed(location.coordinate.longitudeDegrees, 8) + ","
      + Text.fixed(location.coordinate.latitudeDegrees, 8) + height + "]"
  }
}
