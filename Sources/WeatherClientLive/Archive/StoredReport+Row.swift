// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import LocationServices
internal import Positioning
internal import SQLiteStore

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
      receivedAt: BoardTime(utcSeconds: utc, bootSeconds: boot, boot: row[6].text),
      validSeconds: min(valid, Self.mostValidSeconds * 2),
      validator: row[8].text.flatMap {
        try? JSONDecoder().decode(WeatherValidator.self, from: Data($0.utf8))
      }, body: body)
  }
}
