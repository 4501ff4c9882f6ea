// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The formats of a position.
enum PositionPayload {
  /// Returns a JSON object with the keys that Home Assistant's trackers read.
  ///
  /// `latitude` and `longitude` are in degrees, `gps_accuracy` is the error radius in metres at
  /// 68 % confidence, `altitude` is in metres above sea level, `speed` in metres per second,
  /// `course` in degrees from true north.
  static func json(_ location: Location) -> [UInt8] {
    object { line in
      line.decimal("latitude", location.coordinate.latitudeDegrees, places: 7)
      line.decimal("longitude", location.coordinate.longitudeDegrees, places: 7)
      line.decimal("gps_accuracy", location.horizontalAccuracyMeters, places: 1)
      line.decimal("altitude", location.altitudeMetersAboveSeaLevel, places: 1)
      line.decimal("speed", location.speedMetersPerSecond, places: 2)
      line.decimal("course", location.courseDegreesTrue, places: 1)
      line.constant("fix", location.mode == .threeDimensional ? "3D" : "2D")
      line.integer("satellites", location.satellitesUsed)
      line.time("time", location.time)
      if location.isSimulated { line.boolean("simulated", true) }
      if location.isReplayed { line.boolean("replayed", true) }
    }
  }

  /// The JSON object for the time without a position.
  ///
  /// It has no coordinates, so that Home Assistant shows `unknown` instead of the last position.
  static let none = object { $0.constant("fix", "none") }

  /// The accuracy in metres of a location whose accuracy is unknown, for OwnTracks.
  ///
  /// Home Assistant ignores a location without `acc`, or with 0. A receiver whose sentences have no
  /// dilution states no accuracy. 5.2 m is the error at 95 % with a dilution of 1 (u-blox NEO-M8 data
  /// sheet), and 6 is the largest dilution of a usable constellation (GPS SPS Performance Standard
  /// 2020, PDOP availability).
  static let assumedAccuracyMeters = 5.2 * 6
  /// The accuracy in metres of a dead-reckoned location, for OwnTracks.
  ///
  /// Its error grows with time and does not depend on the satellites. The value is large enough for
  /// some minutes of a drive through a tunnel.
  static let deadReckoningAccuracyMeters = 1000.0

  /// Returns a location of `USER/DEVICE` in OwnTracks' format; `nil` if its time is unknown.
  ///
  /// The accuracy and the altitude are in metres, the speed is in kilometres per hour. Source:
  /// OwnTracks Booklet, JSON, `_type=location`.
  static func ownTracks(_ location: Location, name: String) -> [UInt8]? {
    guard let time = location.time else { return nil }
    func rounded(_ value: Double?) -> Int? {
      value.flatMap { $0.isFinite && $0.magnitude < 1e9 ? Int($0.rounded()) : nil }
    }
    return object { line in
      line.constant("_type", "location")
      line.decimal("lat", location.coordinate.latitudeDegrees, places: 7)
      line.decimal("lon", location.coordinate.longitudeDegrees, places: 7)
      line.integer("tst", Int(time.secondsSince1970))
      let assumed =
        location.status == .deadReckoning ? deadReckoningAccuracyMeters : assumedAccuracyMeters
      line.integer("acc", rounded(max(location.horizontalAccuracyMeters ?? assumed, 1)))
      line.integer("alt", rounded(location.altitudeMetersAboveSeaLevel))
      line.integer("vel", rounded(location.speedMetersPerSecond.map { $0 * 3.6 }))
      line.integer("cog", rounded(location.courseDegreesTrue))
      // The two characters that the map of OwnTracks shows.
      line.string("tid", String(name.split(separator: "/").last?.suffix(2) ?? ""))
    }
  }

  /// Returns a JSON object without the end of a line.
  static func object(_ body: (inout JSONLine) -> Void) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 512)
    line.beginObject()
    body(&line)
    line.endObject()
    line.endLine()
    return line.bytes.dropLast()
  }
}
