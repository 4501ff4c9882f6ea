// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning
internal import SQLiteStore

extension StoredReport {
  /// The report in a row with the columns of `WeatherArchive`; `nil` where they are not of their kind.
  init?(row: [SQLiteValue]) {
    guard row.count == 9, let latitude = row[1].real, let longitude = row[2].real,
      let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude),
      let provider = row[3].text, let utc = row[4].integer, let boot = row[5].integer,
      let body = row[8].blob
    else { return nil }
    self.init(
      coordinate: coordinate, provider: provider,
      receivedAt: BoardTime(utcSeconds: utc, bootSeconds: boot, boot: row[6].text),
      lastModified: row[7].text, body: body)
  }
}
