// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning
internal import SQLiteStore
internal import SystemSupport
internal import WeatherClient

/// A report as it is kept, with how long it stands and what it takes to ask for a newer one.
struct StoredReport: Equatable, Sendable {
  /// The name of the cell it was asked for: both degrees.
  var cell: String
  /// Where that is.
  var coordinate: Coordinate
  /// The provider's name.
  var provider: String
  /// Which of its servers did; empty for the public one.
  var site = ""
  /// When it came, or was last said to stand.
  var receivedAt: BootTimestamp
  /// For how many seconds from then the provider has nothing newer.
  var validSeconds: Double
  /// The validator for the next conditional request.
  var validator: WeatherValidator?
  /// The report itself, encoded.
  var body: [UInt8]

  /// Models are not computed more often than that, whatever an expiry says.
  static let leastValidSeconds: Double = 300
  /// Where no expiry is given.
  static let usualValidSeconds: Double = 1800
  /// What a wrong clock could make of an expiry ends here.
  static let maxValidSeconds: Double = 6 * 3600

  static func name(of cell: WeatherCell) -> String { "\(cell.latitudeText),\(cell.longitudeText)" }

  /// Whether the provider has nothing newer yet.
  ///
  /// Where the clocks do not tell how old the report is, it does not stand.
  func stands(at now: BootTimestamp) -> Bool { standsSeconds(at: now) > 0 }

  /// For how many seconds more that is so.
  func standsSeconds(at now: BootTimestamp) -> Double {
    guard let age = now.plausibleSeconds(since: receivedAt) else { return 0 }
    return max(0, validSeconds - Double(age))
  }

  /// The report; `nil` where it cannot be read, as where a former version wrote it.
  var report: WeatherReport? {
    try? JSONDecoder().decode(WeatherReport.self, from: Data(body))
  }
}

extension StoredReport {
  /// Makes ready what has come.
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

  /// For how long a report stands.
  ///
  /// By the provider's clock, which the expiry is of; a board's may be wrong by days. `jitter` is the
  /// fraction that it stands longer: a fleet whose reports came together does not ask together.
  static func validSeconds(
    until expiry: UTCTime?, receivedAt now: BootTimestamp, serverTime: UTCTime?, jitter: Double
  ) -> Double {
    let begin = serverTime?.secondsSince1970 ?? now.utcSeconds
    let said = expiry.map {
      Double($0.secondsSince1970.subtractingReportingOverflow(begin).partialValue)
    }
    return min(max(said ?? usualValidSeconds, leastValidSeconds), maxValidSeconds) * (1 + jitter)
  }
}

/// A report in a row of the archive.
extension StoredReport {
  static let columns =
    "cell, latitude, longitude, provider, received_utc, received_boot, boot, valid_seconds, "
    + "validator, body, site"

  /// The values of a row.
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

  /// Takes the values of a row; `nil` where they are not of their kind.
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
