// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import FleetProtocol
import Foundation
import Glibc
import Logging
import Pipeline
import Positioning
import SQLiteStore
import Testing

@testable import Plugins

/// A kind of file that a sink keeps open.
enum HeldFileKind: String, CaseIterable, CustomTestStringConvertible {
  case track = "SQLite track"
  case gpx = "GPX"
  case lines = "JSON lines"
  case mqtt = "MQTT outbox"
  case fleet = "fleet outbox"

  /// The kinds whose sinks can run on this machine.
  static let available = allCases.filter { kind in
    (kind != .mqtt && kind != .fleet) || MQTTTestBroker.isInstalled
  }

  /// The number of points that the sink writes together.
  static let batch = 3
  /// The Unix time of point 0.
  private static let start = UTCTime.noon.secondsSince1970

  var testDescription: String { rawValue }
  var isDatabase: Bool { self != .gpx && self != .lines }

  /// Makes a sink that writes to a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - port: A port without a broker.
  ///   - log: Records the lines of the log.
  /// - Returns: The sink.
  /// - Throws: An error of the settings.
  func sink(_ path: String, port: UInt16, log: EventRecorder<String>) throws -> any Sink {
    let type: String
    var entries = [("interval_seconds", SettingValue.integer(0))]
    switch self {
    case .track:
      type = "sqlite"
      entries += [("file", .string(path)), ("batch_points", .integer(Int64(Self.batch)))]
    case .gpx: (type, entries) = ("gpx", entries + [("file", .string(path))])
    case .lines: (type, entries) = ("jsonlines", [("file", .string(path))])
    case .mqtt, .fleet:
      type = self == .mqtt ? "mqtt" : "fleet"
      entries += [
        ("broker", .string("mqtt://127.0.0.1:\(port)")), ("board", .string("van")),
        ("outbox", .string(path)),
      ]
      entries +=
        self == .mqtt
        ? [("distance_meters", .integer(0))]
        : [
          ("rest_interval_seconds", .integer(0)), ("start_delay_seconds", .integer(0)),
          ("batch_fixes", .integer(Int64(Self.batch))),
        ]
    }
    let plugin = try #require(PluginCatalog.plugin(.sink, type))
    let context = PluginContext(
      name: type, now: { .at(0) }, utcNow: { .noon },
      logger: Logger(label: "t") { _ in RecordingLogHandler(lines: log) })
    let table = SettingsTable("sink[0]", entries: entries.map { SettingEntry($0.0, $0.1) })
    return try #require(try plugin.specification(table, context).maker.make() as? any Sink)
  }

  /// Returns the location with a number, one second after the previous one.
  static func location(_ number: Int) -> Location {
    .at(48.1, Double(number) / 1000, time: .noon(plus: number)) { $0.mode = .threeDimensional }
  }

  /// Reads the numbers of the points in a file; fails if the file is not well-formed.
  func points(_ path: String) throws -> [Int] {
    switch self {
    case .track:
      return try rows(path, "SELECT time_milliseconds FROM track ORDER BY id").map(Self.number)
    case .mqtt:
      return try rows(path, "SELECT time_milliseconds FROM outbox ORDER BY sequence")
        .map(Self.number)
    case .fleet:
      return try rows(path, "SELECT payload FROM batch ORDER BY last").flatMap { row in
        try FleetBatch(json: row.first?.blob ?? []).entries.map {
          Int(($0.fix.timeMilliseconds ?? 0) / 1000 - Self.start)
        }
      }
    case .gpx:
      let document = try GPXDocument(contentsOf: path)
      return try (document.texts["gpx/trk/trkseg/trkpt/time"] ?? []).map(Self.number)
    case .lines:
      let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      return try text.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try Self.number(object?["time"] as? String ?? "")
      }
    }
  }

  private func rows(_ path: String, _ sql: String) throws -> [[SQLiteValue]] {
    let database = try SQLiteDatabase(reading: path)
    #expect(try database.rows("PRAGMA integrity_check") == [[.text("ok")]])
    return try database.rows(sql)
  }

  private static func number(_ row: [SQLiteValue]) -> Int {
    Int((row.first?.integer ?? 0) / 1000 - start)
  }

  private static func number(_ time: String) throws -> Int {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))
    let date = try Date(time, strategy: style)
    return Int(Int64(date.timeIntervalSince1970) - start)
  }

  /// Writes the log of a database into the database, so that the file itself contains all points.
  func completeFile(_ path: String) throws {
    guard isDatabase else { return }
    let database = try SQLiteDatabase(path: path, layout: self == .track ? TrackDatabase.layout : [""])
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
