// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SQLiteStore
internal import SystemSupport

/// The SQLite file of a track.
struct TrackDatabase: ~Copyable {
  /// The limits on the size of a track.
  struct Bounds: Equatable, Sendable {
    /// The maximum number of rows; `nil` for no limit.
    var rows: Int?
    /// The maximum age of rows in days; `nil` for no limit.
    var days: Int?
  }

  private let database: SQLiteDatabase
  private let bounds: Bounds

  private static let firstColumns = [
    "time_milliseconds INTEGER", "latitude_degrees REAL NOT NULL",
    "longitude_degrees REAL NOT NULL", "altitude_meters_above_sea_level REAL",
    "altitude_meters_above_ellipsoid REAL", "speed_meters_per_second REAL",
    "course_degrees_true REAL", "climb_meters_per_second REAL",
    // The error radius and the half-width of the altitude error, both at 95 % probability.
    "horizontal_error_meters REAL", "vertical_error_meters REAL", "mode INTEGER NOT NULL",
    "status INTEGER", "satellites INTEGER", "hdop REAL", "source TEXT",
    "is_simulated INTEGER NOT NULL",
  ]
  private static let replayedColumn = "is_replayed INTEGER NOT NULL DEFAULT 0"
  private static let columns = firstColumns + [replayedColumn]
  /// The page size: small, since committing a single point writes three or four whole pages.
  private static let pageBytes = 1024
  /// The schema, with one entry for each version; published entries never change.
  static let layout = [
    """
    CREATE TABLE track (id INTEGER PRIMARY KEY AUTOINCREMENT, \(firstColumns.joined(separator: ", ")));
    CREATE INDEX track_time ON track (time_milliseconds);
    """,
    "ALTER TABLE track ADD COLUMN \(replayedColumn);",
  ]

  /// Opens or creates a file; a damaged file is renamed, and a new file is created.
  ///
  /// With a `group`, its members may read the file and its log. `cause` is the error because of which
  /// the file is opened again.
  init(
    path: String, bounds: Bounds, group: FileGroup? = nil, after cause: SQLiteError? = nil
  ) throws(SQLiteError) {
    let names = Self.columns.map { $0.prefix { $0 != " " } }
    let database = try SQLiteDatabase.openOrReplace(
      path: path, layout: Self.layout, pageBytes: Self.pageBytes,
      checkedBy: "SELECT \(names.joined(separator: ", ")) FROM track LIMIT 0", after: cause)
    do throws(FileFailure) {
      // SQLite gives later logs the mode of the file.
      for suffix in ["", "-wal", "-shm"] { try group?.apply(toFileAt: path + suffix) }
    } catch {
      throw .unusable(path: path, reason: error.message)
    }
    self.database = database
    self.bounds = bounds
  }

  /// Returns a message for the log about the file once; `nil` if there is none.
  func takeNotice() -> String? { database.takeNotice() }

  /// Writes locations and deletes rows beyond the limits, in one transaction.
  ///
  /// - Parameters:
  ///   - locations: The locations.
  ///   - now: The wall-clock time; `nil` if it is unknown.
  ///   - isSynced: Whether to sync the file, so that a power cut does not lose these and earlier
  ///     locations.
  /// - Throws: `SQLiteError`; after an error, nothing has been written.
  func write(
    _ locations: [Location], now: UTCTime?, isSynced: Bool = true
  ) throws(SQLiteError) {
    let names = Self.columns.map { $0.prefix { $0 != " " } }
    let sql =
      "INSERT INTO track (\(names.joined(separator: ", "))) VALUES ("
      + names.map { _ in "?" }.joined(separator: ", ") + ")"
    try database.checkPlace()
    try database.transaction(isSynced: isSynced) { () throws(SQLiteError) in
      for location in locations { try database.run(sql, location.row) }
      try prune(newest: locations.compactMap(\.time).max(), now: now)
    }
  }

  private func prune(newest: UTCTime?, now: UTCTime?) throws(SQLiteError) {
    if let rows = bounds.rows {
      // Row ids have no gaps, since they only increase and only the oldest rows are deleted.
      try database.run(
        "DELETE FROM track WHERE id <= (SELECT max(id) FROM track) - ?", [.integer(Int64(rows))])
    }
    // Use the earlier of the receiver's time and the wall clock: a time that is years ahead must
    // not delete the whole track.
    if let days = bounds.days, let newest, let now {
      let limit = min(newest, now).millisecondsSince1970 - Int64(days) * 86_400_000
      try database.run("DELETE FROM track WHERE time_milliseconds < ?", [.integer(limit)])
    }
  }
}

extension UTCTime {
  /// The milliseconds since 1970-01-01, clamped to 64 bits.
  var millisecondsSince1970: Int64 {
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
      .integer(isReplayed ? 1 : 0),
    ]
  }
}
