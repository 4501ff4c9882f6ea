// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Positioning

/// The format of a track for other programs.
package enum TrackFormat: String, CaseIterable, Sendable {
  /// GPX 1.1.
  case gpx
  /// One row per location, with gpsd's names in the first row.
  case csv
  /// GeoJSON (RFC 7946), one line per segment.
  case geojson
}

/// Encodes locations as a track, one by one.
package struct TrackEncoder {
  /// The time without a location after which a segment ends, in seconds.
  private static let gapSeconds = 120.0

  private let format: TrackFormat
  private var track = GPXTrack(pattern: "", gapSeconds: gapSeconds)
  private var geoJSON = GeoJSONTrack()
  private var isEmpty = true

  /// Creates an encoder without locations.
  package init(_ format: TrackFormat) { self.format = format }

  /// Returns the text of a location, after the beginning of the file if it is the first one.
  package mutating func encode(_ location: Location) -> String {
    // The pattern has no placeholder, so every location has a file.
    guard let addition = track.take(location) else { return "" }
    defer { isEmpty = false }
    switch format {
    case .gpx:
      guard !isEmpty else { return GPXText.header + addition.track + addition.point }
      return switch addition.join {
      case .continues: addition.point
      case .segment: GPXText.nextSegment + addition.point
      case .track: GPXText.endOfTrack + addition.track + addition.point
      }
    case .csv: return (isEmpty ? CSVTrack.heading : "") + CSVTrack.row(location)
    case .geojson: return geoJSON.add(location, beginsSegment: addition.join != .continues)
    }
  }

  /// Returns the end of the file; without locations, a file without a track.
  package mutating func finish() -> String {
    switch format {
    case .gpx: isEmpty ? GPXText.header + GPXText.endOfFile : GPXText.closing
    case .csv: isEmpty ? CSVTrack.heading : ""
    case .geojson: geoJSON.finish()
    }
  }
}
