// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration

/// Example settings of a plugin.
struct Track: Equatable {
  enum Format: String, CaseIterable, Sendable { case gpx, geojson }

  static let file = SettingKey.path("file", summary: "output file")
  static let interval = SettingKey.seconds(
    "interval_seconds", in: 0...86_400, default: 10, summary: "minimum time between two points")
  static let limit = SettingKey.count(
    "limit_bytes", in: 1024...1_000_000, default: 65_536,
    summary: "size at which a new file is created")
  static let format = SettingKey<Format>.choice(
    "format", default: .gpx, summary: "format of the file")
  static let accuracy = SettingKey.number(
    "accuracy_metres", in: 0...10_000, summary: "worst accuracy that is kept"
  ).optional
  static let append = SettingKey.flag(
    "append", default: true, summary: "whether to append to an existing file")
  static let fields = SettingKey.list(
    "fields", of: ["speed", "course"], default: [], summary: "fields in addition to the position")
  static let password = SettingKey.secret("password", summary: "password for the server").optional

  static let settings = [
    file.declaration, interval.declaration, limit.declaration, format.declaration,
    accuracy.declaration, append.declaration, fields.declaration, password.declaration,
    SettingDeclaration.table(
      "server", of: [limit.declaration], summary: "server to send the track to"),
  ]

  var file: String
  var interval: Duration
  var limit: Int
  var format: Format
  var accuracy: Double?
  var append: Bool
  var fields: [String]
  var password: Secret?

  init(_ settings: SettingsTable) throws(SettingsError) {
    file = try settings.value(of: Self.file)
    interval = try settings.value(of: Self.interval)
    limit = try settings.value(of: Self.limit)
    format = try settings.value(of: Self.format)
    accuracy = try settings.value(of: Self.accuracy)
    append = try settings.value(of: Self.append)
    fields = try settings.value(of: Self.fields)
    password = try settings.value(of: Self.password)
    if format == .geojson, append {
      throw settings.error(.conflict("cannot append to geojson; set append = false"), in: "append")
    }
  }

  /// Returns a table `sink.gpx` whose entries are on the lines 12, 13, ...
  static func table(_ values: KeyValuePairs<String, SettingValue>) -> SettingsTable {
    let entries = values.enumerated().map { offset, pair in
      SettingEntry(pair.key, pair.value, at: SettingOrigin(file: "config.toml", line: 12 + offset))
    }
    return SettingsTable(
      "sink.gpx", at: SettingOrigin(file: "config.toml", line: 11), entries: entries)
  }

  /// Reads the settings and returns the error; `nil` if the settings are valid.
  static func error(_ values: KeyValuePairs<String, SettingValue>) -> String? {
    do throws(SettingsError) {
      _ = try Track(table(values))
      return nil
    } catch { return error.description }
  }
}
