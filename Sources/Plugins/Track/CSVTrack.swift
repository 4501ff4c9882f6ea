// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// Rows of comma-separated values (RFC 4180), in the units and with the names of gpsd.
///
/// Unknown values are empty.
enum CSVTrack {
  /// The first row.
  static let heading =
    "time,lat,lon,altMSL,altHAE,speed,track,climb,eph,epv,mode,sats,hdop,device,simulated,"
    + "replayed\r\n"

  /// Returns the row of a location.
  static func row(_ location: Location) -> String {
    func number(_ value: Double?, _ places: Int) -> String {
      value.flatMap { $0.isFinite ? Text.fixed($0, places) : nil } ?? ""
    }
    let accuracy = location.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95)
    let values = [
      location.time.map(GPXText.time) ?? "",
      number(location.coordinate.latitudeDegrees, 8),
      number(location.coordinate.longitudeDegrees, 8),
      number(location.altitudeMetersAboveSeaLevel, 2),
      number(location.altitudeMetersAboveEllipsoid, 2),
      number(location.speedMetersPerSecond, 3), number(location.courseDegreesTrue, 2),
      number(location.climbMetersPerSecond, 3), number(accuracy, 2),
      number(location.verticalAccuracy?.verticalMeters(atConfidencePercent: 95), 2),
      "\(location.mode.rawValue)", location.satellitesUsed.map { "\($0)" } ?? "",
      number(location.dilution.horizontal, 2), quoted(location.source ?? ""),
      location.isSimulated ? "true" : "", location.isReplayed ? "true" : "",
    ]
    return values.joined(separator: ",") + "\r\n"
  }

  /// Returns a text in quotes if it contains a comma, a quote or a line end.
  private static func quoted(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      return text
    }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
