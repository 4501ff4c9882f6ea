// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import FoundationEssentials
internal import Positioning
internal import WeatherClient

/// A report with the Unix time of its arrival in seconds.
struct StoredWeather: Sendable {
  var report: WeatherReport
  var receivedSeconds: Int64
}

/// The tables of weather.
extension FleetStore {
  /// Returns the boards that sent a message within the last hour and have a position.
  func freshBoards(decimals: Int) async throws(PostgresError) -> [FleetWeather.Board] {
    let rows = try await perform { connection throws(PostgresError) in
      try connection.rows(
        """
        SELECT board, shard, latitude, longitude FROM fleet.board
        WHERE last_seen > now() - interval '1 hour' AND latitude IS NOT NULL
        """)
    }
    return rows.compactMap { row in
      guard let board = row[0].flatMap({ FleetBoardID($0) }),
        let number = row[1].flatMap({ Int($0) }), FleetShard.allCases.indices.contains(number),
        let coordinate = Self.coordinate(row[2], row[3])
      else { return nil }
      return FleetWeather.Board(
        id: board, shard: FleetShard.allCases[number],
        cell: WeatherCell(coordinate, decimals: decimals))
    }
  }

  /// Returns the reports of the last 45 minutes by cell.
  func weatherReports(
    decimals: Int
  ) async throws(PostgresError) -> [WeatherCell: StoredWeather] {
    let rows = try await perform { connection throws(PostgresError) in
      try connection.rows(
        """
        SELECT latitude, longitude, extract(epoch FROM received)::bigint, report::text
        FROM fleet.weather WHERE received > now() - interval '45 minutes'
        """)
    }
    var reports: [WeatherCell: StoredWeather] = [:]
    for row in rows {
      guard let coordinate = Self.coordinate(row[0], row[1]),
        let seconds = row[2].flatMap({ Int64($0) }), let json = row[3],
        let report = try? JSONDecoder().decode(WeatherReport.self, from: Data(json.utf8))
      else { continue }
      reports[WeatherCell(coordinate, decimals: decimals)] = StoredWeather(
        report: report, receivedSeconds: seconds)
    }
    return reports
  }

  /// Replaces the report of a cell.
  func save(_ weather: StoredWeather, for cell: WeatherCell) async throws(PostgresError) {
    guard let json = try? JSONEncoder().encode(weather.report) else { return }
    let values = [
      cell.latitudeText, cell.longitudeText, "\(weather.receivedSeconds)",
      String(decoding: json, as: UTF8.self),
    ]
    try await perform { connection throws(PostgresError) in
      try connection.rows(
        """
        INSERT INTO fleet.weather (latitude, longitude, received, report)
        VALUES ($1, $2, to_timestamp($3), $4)
        ON CONFLICT (latitude, longitude) DO UPDATE
        SET received = excluded.received, report = excluded.report
        """, values)
      return ()
    }
  }

  /// Returns the Unix times of the requests of the last 24 hours, in seconds.
  func weatherRequests() async throws(PostgresError) -> [Int64] {
    let rows = try await perform { connection throws(PostgresError) in
      try connection.rows("DELETE FROM fleet.weather_request WHERE at < now() - interval '1 day'")
      return try connection.rows(
        "SELECT extract(epoch FROM at)::bigint FROM fleet.weather_request")
    }
    return rows.compactMap { $0[0].flatMap { Int64($0) } }
  }

  /// Stores a request before it is sent.
  func addWeatherRequest() async throws(PostgresError) {
    try await perform { connection throws(PostgresError) in
      try connection.rows("INSERT INTO fleet.weather_request VALUES (now())")
      return ()
    }
  }

  private static func coordinate(_ latitude: String?, _ longitude: String?) -> Coordinate? {
    guard let latitude = latitude.flatMap({ Double($0) }),
      let longitude = longitude.flatMap({ Double($0) })
    else { return nil }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }
}
