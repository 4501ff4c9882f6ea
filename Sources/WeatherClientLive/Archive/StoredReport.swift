// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning
internal import SQLiteStore
internal import SystemSupport
internal import WeatherClient

/// A report in the store, with its freshness lifetime and its validator.
struct StoredReport: Equatable, Sendable {
  /// The name of the cell: latitude and longitude of its centre, separated by a comma.
  var cell: String
  /// The centre of the cell.
  var coordinate: Coordinate
  /// The provider's name.
  var provider: String
  /// A hash that identifies the self-hosted server of the report; empty for the public service.
  var site = ""
  /// The time at which the report was received or last confirmed with 304.
  var receivedAt: BootTimestamp
  /// The number of seconds from `receivedAt` during which the report is fresh.
  var validSeconds: Double
  /// The validator for the next conditional request.
  var validator: WeatherValidator?
  /// The report, encoded as JSON.
  var body: [UInt8]

  /// The ``site`` of a report that another program looked up, which no server's hash equals.
  static let receivedSite = "received"
  /// The lifetime in seconds of a report that another program looked up.
  static let receivedValidSeconds: Double = 2700
  /// The minimum lifetime in seconds, even if a reply expires earlier.
  static let minValidSeconds: Double = 300
  /// The lifetime in seconds of a report without an expiry.
  static let defaultValidSeconds: Double = 1800
  /// The maximum lifetime in seconds, in case a clock is wrong.
  static let maxValidSeconds: Double = 6 * 3600

  static func name(of cell: WeatherCell) -> String { "\(cell.latitudeText),\(cell.longitudeText)" }

  /// Whether the report has not expired.
  ///
  /// Returns `false` if the age of the report cannot be determined.
  func isFresh(at now: BootTimestamp) -> Bool { freshForSeconds(at: now) > 0 }

  /// Returns the number of seconds until the report expires; 0 if it has expired.
  func freshForSeconds(at now: BootTimestamp) -> Double {
    guard let age = now.plausibleSeconds(since: receivedAt) else { return 0 }
    return max(0, validSeconds - Double(age))
  }

  /// The decoded report, or `nil` if the body cannot be decoded, for example because another
  /// version of Fixcast wrote it.
  var report: WeatherReport? {
    try? JSONDecoder().decode(WeatherReport.self, from: Data(body))
  }
}

extension StoredReport {
  /// Creates a record of a received report, or returns `nil` if the report cannot be encoded.
  init?(
    _ report: WeatherReport, for cell: WeatherCell, receivedAt now: BootTimestamp,
    serverTime: UTCTime?,
    validator: WeatherValidator?, site: String, jitter: Double
  ) {
    guard let coordinate = cell.coordinate, let body = try? JSONEncoder().encode(report) else {
      return nil
    }
    self.init(
      cell: Self.name(of: cell), coordinate: coordinate, provider: report.provider, site: site,
      receivedAt: now,
      validSeconds: Self.validSeconds(
        until: report.expiresAt, receivedAt: now, serverTime: serverTime, jitter: jitter),
      validator: validator,
      body: Array(body))
  }

  /// Returns the lifetime of a report in seconds.
  ///
  /// The expiry is compared with the server's time, since the board's clock may be wrong by days.
  /// The lifetime is extended by the fraction `jitter`, so that boards whose reports arrived at the
  /// same time do not send their next requests at the same time.
  static func validSeconds(
    until expiry: UTCTime?, receivedAt now: BootTimestamp, serverTime: UTCTime?, jitter: Double
  ) -> Double {
    let begin = serverTime?.secondsSince1970 ?? now.utcSeconds
    let seconds = expiry.map {
      Double($0.secondsSince1970.subtractingReportingOverflow(begin).partialValue)
    }
    return min(max(seconds ?? defaultValidSeconds, minValidSeconds), maxValidSeconds)
      * (1 + jitter)
  }
}

/// Conversion to and from a row of the archive.
extension StoredReport {
  static let columns =
    "cell, latitude, longitude, provider, received_utc, received_boot, boot, valid_seconds, "
    + "validator, body, site"

  /// The values in the order of `columns`.
  var row: [SQLiteValue] {
    let validator = validator.flatMap { try? JSONEncoder().encode($0) }
    return [
      .text(cell), .real(coordinate.latitudeDegrees), .real(coordinate.longitudeDegrees),
      .text(provider), .integer(receivedAt.utcSeconds), .integer(receivedAt.bootSeconds),
      receivedAt.boot.map(SQLiteValue.text) ?? .null, .real(validSeconds),
      validator.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null, .blob(body),
      .text(site),
    ]
  }

  /// Creates a report from the values of a row, or returns `nil` if a value has the wrong type.
  init?(row: [SQLiteValue]) {
    guard row.count == 11, let cell = row[0].text, let latitude = row[1].real,
      let longitude = row[2].real,
      let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude),
      let provider = row[3].text, let utc = row[4].integer, let boot = row[5].integer,
      let valid = row[7].real, let body = row[9].blob, let site = row[10].text
    else { return nil }
    self.init(
      cell: cell, coordinate: coordinate, provider: provider, site: site,
      receivedAt: BootTimestamp(utcSeconds: utc, bootSeconds: boot, boot: row[6].text),
      validSeconds: min(valid, Self.maxValidSeconds * 2),
      validator: row[8].text.flatMap {
        try? JSONDecoder().decode(WeatherValidator.self, from: Data($0.utf8))
      }, body: body)
  }
}
