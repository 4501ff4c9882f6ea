// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SQLiteStore

/// The table of a track, in a file of its own.
struct TrackDatabase: ~Copyable {
  /// How much of a track is kept.
  struct Bounds: Equatable, Sendable {
    /// At most so many rows; `nil` for all.
    var rows: Int?
    /// Only those of the last so many days; `nil` for all.
    var days: Int?
  }

  private let database: SQLiteDatabase
  private let bounds: Bounds
  /// What was found damaged, and where it is now.
  let notice: String?

  private static let columns = [
    "time_milliseconds INTEGER", "latitude_degrees REAL NOT NULL",
    "longitude_degrees REAL NOT NULL", "altitude_meters_above_sea_level REAL",
    "altitude_meters_above_ellipsoid REAL", "speed_meters_per_second REAL",
    "course_degrees_true REAL", "climb_meters_per_second REAL",
    // Radius and half-width that hold 95 %.
    "horizontal_error_meters REAL", "vertical_error_meters REAL", "mode INTEGER NOT NULL",
    "status INTEGER", "satellites INTEGER", "hdop REAL", "source TEXT",
    "is_simulated INTEGER NOT NULL",
  ]
  /// Small, since a commit for one point a second writes three or four whole pages.
  private static let pageBytes = 1024
  /// One string a version, never changed once it is out.
  static let layout = [
    """
    CREATE TABLE track (id INTEGER PRIMARY KEY AUTOINCREMENT, \(columns.joined(separator: ", ")));
    CREATE INDEX track_time ON track (time_milliseconds);
    """
  ]

  /// Opens a file, or makes it; a damaged one is set aside and a new one begun.
  init(path: String, bounds: Bounds) throws(SQLiteError) {
    self.bounds = bounds
    (database, notice) = try Self.openWhole(path)
  }

  private static func openWhole(_ path: String) throws(SQLiteError) -> (SQLiteDatabase, String?) {
    do throws(SQLiteError) {
      return (try open(path), nil)
    } catch {
      guard case .damaged = error else { throw error }
      let aside = try SQLiteDatabase.setAside(path)
      return (try open(path), "\(error); \(aside), a new one is begun")
    }
  }

  private static func open(_ path: String) throws(SQLiteError) -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, layout: layout, pageBytes: pageBytes)
    do throws(SQLiteError) {
      // A file of another program may say that it has every table there is.
      let names = columns.map { $0.prefix { $0 != " " } }
      try database.run("SELECT \(names.joined(separator: ", ")) FROM track LIMIT 0")
    } catch {
      guard case .statement(_, let reason) = error else { throw error }
      throw .damaged(path: path, reason: reason)
    }
    return database
  }

  /// Writes locations and forgets what is beyond the bounds, in one transaction.
  ///
  /// - Parameters:
  ///   - locations: The locations.
  ///   - now: The board's wall clock, where it is known.
  ///   - isSynced: Whether a power cut is to lose neither these nor any earlier locations.
  /// - Throws: `SQLiteError`; nothing is written then.
  func write(
    _ locations: [Location], now: UTCTime?, isSynced: Bool = true
  ) throws(SQLiteError) {
    let names = Self.columns.map { $0.prefix { $0 != " " } }
    let sql =
      "INSERT INTO track (\(names.joined(separator: ", "))) VALUES ("
      + names.map { _ in "?" }.joined(separator: ", ") + ")"
    try database.transaction(isSynced: isSynced) { () throws(SQLiteError) in
      for location in locations { try database.run(sql, location.row) }
      try prune(newest: locations.compactMap(\.time).max(), now: now)
    }
  }

  private func prune(newest: UTCTime?, now: UTCTime?) throws(SQLiteError) {
    if let rows = bounds.rows {
      // Numbers only grow, and only the oldest go: what is left has no hole.
      try database.run(
        "DELETE FROM track WHERE id <= (SELECT max(id) FROM track) - ?", [.integer(Int64(rows))])
    }
    // By the earlier of two clocks: one that is wrong by years must not cost the whole track.
    if let days = bounds.days, let newest, let now {
      let limit = min(newest, now).millisecondsSince1970 - Int64(days) * 86_400_000
      try database.run("DELETE FROM track WHERE time_milliseconds < ?", [.integer(limit)])
    }
  }
}

extension UTCTime {
  fileprivate var millisecondsSince1970: Int64 {
    let (milliseconds, overflow) = secondsSince1970.multipliedReportingOverflow(by: 1000)
    return overflow
      ? secondsSince1970.signum() * Int64.max : milliseconds &+ Int64(nanosecond / 1_000_000)
  }
}

extension Location {
  fileprivate var row: [SQLiteValue] {
    func real(_ value: Double?) -> SQLiteValue { value.map(SQLiteValue.real) ?? .null }
    func integer(_ value: Int?) -> SQLiteValue { value.map { .integer(Int64($0)) } ?? .null }
    return [
      time.map { .integer($0.millisecondsSince1970) } ?? .null,
      .real(coordinate.latitudeDegrees), .real(coordinate.longitudeDegrees),
      real(altitudeMetersAboveSeaLevel), real(altitudeMetersAboveEllipsoid),
      real(speedMetersPerSecond), real(courseDegreesTrue), real(climbMetersPerSecond),
      real(horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95)),
      real(verticalAccuracy?.verticalMeters(atConfidencePercent: 95)),
      .integer(Int64(mode.rawValue)), integer(status.map { Int($0.rawValue) }),
      integer(satellitesUsed), real(dilution.horizontal),
      source.map(SQLiteValue.text) ?? .null, .integer(isSimulated ? 1 : 0),
    ]
  }
}
