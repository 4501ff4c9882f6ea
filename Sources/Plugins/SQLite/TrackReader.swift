// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import SQLiteStore

/// A file that cannot be read as a track, as a message for the user.
package struct TrackFault: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ error: SQLiteError) { description = "\(error)" }
}

/// Reads the track of an SQLite sink, also while the sink writes.
package struct TrackReader {
  /// The number of rows that are in memory at the same time.
  private static let pageRows: Int64 = 1000

  private let database: SQLiteDatabase

  /// Opens a file without changing it.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: `TrackFault` if the file cannot be opened.
  package init(path: String) throws(TrackFault) {
    do { database = try SQLiteDatabase(reading: path) } catch { throw TrackFault(error) }
  }

  /// Reads the locations in the order in which they were written.
  ///
  /// - Parameters:
  ///   - since: The earliest time; `nil` for no limit. With a limit, locations without a time are
  ///     left out.
  ///   - until: The latest time; `nil` for no limit.
  ///   - body: Takes a location.
  /// - Throws: `TrackFault` if the file has no track, and any error of `body`.
  package func read(
    since: UTCTime?, until: UTCTime?, _ body: (Location) throws -> Void
  ) throws {
    // A file of the first version, which the sink has not upgraded yet, lacks the column.
    let hasReplayed = try !page(
      "SELECT name FROM pragma_table_info('track') WHERE name = 'is_replayed'", []
    ).isEmpty
    let sql = """
      SELECT id, time_milliseconds, latitude_degrees, longitude_degrees, \
      altitude_meters_above_sea_level, altitude_meters_above_ellipsoid, speed_meters_per_second, \
      course_degrees_true, climb_meters_per_second, horizontal_error_meters, \
      vertical_error_meters, mode, status, satellites, hdop, source, is_simulated, \
      \(hasReplayed ? "is_replayed" : "0") FROM track \
      WHERE id > ?1 AND (?2 IS NULL OR time_milliseconds >= ?2) \
      AND (?3 IS NULL OR time_milliseconds <= ?3) ORDER BY id LIMIT ?4
      """
    func milliseconds(_ time: UTCTime?) -> SQLiteValue {
      time.map { .integer($0.millisecondsSince1970) } ?? .null
    }
    var last: Int64 = 0
    while true {
      let rows = try page(
        sql, [.integer(last), milliseconds(since), milliseconds(until), .integer(Self.pageRows)])
      for row in rows { if let location = Location(row) { try body(location) } }
      guard let id = rows.last?.first?.integer, id > last, rows.count == Self.pageRows else {
        return
      }
      last = id
    }
  }

  private func page(
    _ sql: String, _ values: [SQLiteValue]
  ) throws(TrackFault) -> [[SQLiteValue]] {
    do { return try database.rows(sql, values) } catch { throw TrackFault(error) }
  }
}

extension Location {
  /// Creates a location from a row; `nil` if its coordinate is not on the globe.
  fileprivate init?(_ row: [SQLiteValue]) {
    guard row.count == 18, let latitude = row[2].real, let longitude = row[3].real,
      let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return nil }
    func accuracy(_ value: SQLiteValue) -> Accuracy? {
      value.real.flatMap { Accuracy(meters: $0, confidencePercent: 95, basis: .dilution) }
    }
    self.init(
      coordinate: coordinate, time: row[1].integer.map(UTCTime.init(millisecondsSince1970:)))
    altitudeMetersAboveSeaLevel = row[4].real
    altitudeMetersAboveEllipsoid = row[5].real
    speedMetersPerSecond = row[6].real
    courseDegreesTrue = row[7].real
    climbMetersPerSecond = row[8].real
    horizontalAccuracy = accuracy(row[9])
    verticalAccuracy = accuracy(row[10])
    mode = row[11].integer.flatMap { UInt8(exactly: $0) }.flatMap(FixMode.init) ?? .twoDimensional
    status = row[12].integer.flatMap { UInt8(exactly: $0) }.flatMap(FixStatus.init)
    satellitesUsed = row[13].integer.flatMap { Int(exactly: $0) }
    dilution.horizontal = row[14].real
    source = row[15].text
    isSimulated = row[16].integer != 0
    isReplayed = row[17].integer != 0
  }
}

extension UTCTime {
  /// Creates a time from milliseconds since 1970-01-01.
  init(millisecondsSince1970 milliseconds: Int64) {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let isBefore = rest < 0
    self.init(
      secondsSince1970: isBefore ? seconds - 1 : seconds,
      nanosecond: UInt32(isBefore ? rest + 1000 : rest) * 1_000_000)
  }
}
