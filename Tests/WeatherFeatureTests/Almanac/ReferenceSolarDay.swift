// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

/// Solar days computed with PyEphem 4.2.1, which shares no formulas with the code under test.
///
/// PyEphem uses the library of XEphem, with VSOP87 for the sun. The settings were `pressure = 0`
/// (no refraction), `use_center = True` (centre of the sun) and a horizon of -0:50 degrees. Sunrise
/// and sunset are the `previous_rising` and the `next_setting` of the transit.
struct ReferenceSolarDay: Sendable, CustomTestStringConvertible {
  let name: String
  let latitude: Double
  let longitude: Double
  let time: UTCTime
  let noon: UTCTime
  let sunrise: UTCTime?
  let sunset: UTCTime?

  init(
    _ name: String, _ latitude: Double, _ longitude: Double, of time: UTCTime, noon: UTCTime,
    _ sunrise: UTCTime?, _ sunset: UTCTime?
  ) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.time = time
    self.noon = noon
    self.sunrise = sunrise
    self.sunset = sunset
  }

  var testDescription: String { "\(name), day \(time.date.civil)" }

  static let all = [
    ReferenceSolarDay(
      "Greenwich", 51.4769, 0.0, of: "2026-06-21T12:00:00", noon: "2026-06-21T12:01:49",
      "2026-06-21T03:42:45", "2026-06-21T20:20:52"),
    ReferenceSolarDay(
      "Greenwich", 51.4769, 0.0, of: "1999-08-11T12:00:00", noon: "1999-08-11T12:05:14",
      "1999-08-11T04:38:21", "1999-08-11T19:31:03"),
    ReferenceSolarDay(
      "New York", 40.7128, -74.006, of: "2024-11-03T16:56:01", noon: "2024-11-03T16:39:34",
      "2024-11-03T11:29:20", "2024-11-03T21:49:18"),
    ReferenceSolarDay(
      "Sydney", -33.8568, 151.2153, of: "2000-01-01T01:55:08", noon: "2000-01-01T01:58:13",
      "1999-12-31T18:47:03", "2000-01-01T09:09:14"),
    ReferenceSolarDay(
      "Quito", -0.1807, -78.4678, of: "2026-03-20T17:13:52", noon: "2026-03-20T17:21:14",
      "2026-03-20T11:17:59", "2026-03-20T23:24:29"),
    ReferenceSolarDay(
      "Suva", -18.1336, 178.4244, of: "2026-12-21T00:06:18", noon: "2026-12-21T00:04:07",
      "2026-12-20T17:27:29", "2026-12-21T06:40:45"),
    ReferenceSolarDay(
      "Anadyr", 64.7337, 177.4968, of: "2025-04-15T00:10:00", noon: "2025-04-15T00:10:04",
      "2025-04-14T16:36:59", "2025-04-15T07:45:19"),
    ReferenceSolarDay(
      "Reykjavik", 64.142, -21.9266, of: "2026-09-23T13:27:42", noon: "2026-09-23T13:20:03",
      "2026-09-23T07:13:29", "2026-09-23T19:25:00"),
    ReferenceSolarDay(
      "Cape Town", -33.9249, 18.4241, of: "1900-06-21T10:46:18", noon: "1900-06-21T10:47:42",
      "1900-06-21T05:50:58", "1900-06-21T15:44:27"),
    ReferenceSolarDay(
      "Singapore", 1.3521, 103.8198, of: "2100-10-31T05:04:43", noon: "2100-10-31T04:48:18",
      "2100-10-30T22:46:14", "2100-10-31T10:50:21"),
    ReferenceSolarDay(
      "Ushuaia", -54.808, -68.305, of: "1969-07-20T16:33:13", noon: "1969-07-20T16:39:29",
      "1969-07-20T12:41:26", "1969-07-20T20:38:00"),
    ReferenceSolarDay(
      "Tokyo", 35.6812, 139.7671, of: "2050-02-11T02:40:55", noon: "2050-02-11T02:55:03",
      "2050-02-10T21:32:13", "2050-02-11T08:18:20"),
    ReferenceSolarDay(
      "Oslo", 59.9139, 10.7522, of: "2026-12-21T11:16:59", noon: "2026-12-21T11:15:02",
      "2026-12-21T08:18:06", "2026-12-21T14:11:57"),
    ReferenceSolarDay(
      "Tromso", 69.6492, 18.9553, of: "2026-02-01T10:44:10", noon: "2026-02-01T10:57:42",
      "2026-02-01T08:24:05", "2026-02-01T13:32:29"),
  ]
}
