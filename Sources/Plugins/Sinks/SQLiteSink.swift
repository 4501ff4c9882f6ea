// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
package import Positioning
internal import SQLiteStore

/// Writes locations as rows of an SQLite file, and syncs the file to the disk in batches, to reduce
/// the wear of a memory card.
///
/// With the default settings, a killed process loses the points of less than a second, and a power
/// cut loses the points of a batch. If no more points arrive, the last batch is not synced, but the
/// kernel writes it to the disk eventually.
package actor SQLiteSink: BatchingSink {
  private static let file = SettingKey.path("file", summary: "output file")
    .example(.string("/var/lib/fixcast/track.sqlite"))
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 1, summary: "minimum time between two points")
  private static let commitSeconds = SettingKey.number(
    "commit_seconds", in: 0...3600, default: 0.9,
    summary: "minimum time between two writes; SIGKILL loses unwritten points. At one point per "
      + "second, a value of 0.9 causes 330 MB of writes a day, and 60 causes 25 MB")
  private static let batchPoints = SettingKey.count(
    "batch_points", in: 1...10_000, default: 60,
    summary: "number of points synced to the disk together")
  private static let batchSeconds = SettingKey.number(
    "batch_seconds", in: 0...3600, default: 60,
    summary: "maximum time until a point is synced to the disk; a power cut loses unsynced points")
  private static let limitRows = SettingKey.count(
    "limit_rows", default: 5_000_000,
    summary: "number of points to keep; the default is two months at one point per second; 0 for "
      + "all points")
  private static let keepDays = SettingKey.count(
    "keep_days", in: 0...36_500, default: 0, summary: "number of days to keep; 0 for all")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "sqlite", "a track in a table of an SQLite file, written in batches",
    [
      file.declaration, FileGroup.key.declaration, intervalSeconds.declaration,
      commitSeconds.declaration, batchPoints.declaration, batchSeconds.declaration,
      limitRows.declaration,
      keepDays.declaration,
    ],
    mailbox: .track, makeFilter: { _ in { $0 is LocationEvent } },
    extraSuffixes: SQLiteDatabase.besides,
    make: { settings, context throws(SettingsError) in
      var options = Options(file: try settings.value(of: file))
      options.group = try settings.value(of: FileGroup.key).map { FileGroup($0) }
      options.intervalSeconds = try settings.value(of: intervalSeconds)
      options.commitSeconds = try settings.value(of: commitSeconds)
      options.batchPoints = try settings.value(of: batchPoints)
      options.batchSeconds = try settings.value(of: batchSeconds)
      let (rows, days) = (try settings.value(of: limitRows), try settings.value(of: keepDays))
      options.limitRows = rows > 0 ? rows : nil
      options.keepDays = days > 0 ? days : nil
      return SQLiteSink(
        name: context.name ?? "sqlite", options: options, now: context.now,
        utcNow: context.utcNow, warn: { [logger = context.logger] in logger.warning("\($0)") })
    })

  /// The settings of an SQLite sink.
  package struct Options: Equatable, Sendable {
    /// The file.
    package var file: String
    /// The group whose members may read the file; `nil` for only the owner.
    package var group: FileGroup?
    /// The minimum time between two points, in seconds.
    package var intervalSeconds = 1.0
    /// The minimum time between two writes, in seconds.
    ///
    /// The default is less than a second, so that points at one per second are written immediately.
    package var commitSeconds = 0.9
    /// The number of points that are synced to the disk together.
    package var batchPoints = 60
    /// The maximum time that a point waits for a sync to the disk, in seconds.
    package var batchSeconds = 60.0
    /// The maximum number of rows; `nil` for no limit.
    package var limitRows: Int? = 5_000_000
    /// The maximum age of rows in days; `nil` for no limit.
    package var keepDays: Int?

    /// Creates options with defaults.
    package init(file: String) { self.file = file }
  }

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let options: Options
  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime?
  private let warn: @Sendable (String) -> Void
  private var interval: TrackInterval
  private var points: TrackBatch<Location>
  /// The points that a power cut would lose.
  private var unsynced: TrackBatch<Void>
  private var database: TrackDatabase?
  /// The last warning since a batch was written.
  private var lastNotice: String?

  /// Creates a sink without opening its file.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the status.
  ///   - options: The settings.
  ///   - now: Returns the current time, for batches.
  ///   - utcNow: Returns the wall-clock time; `nil` if it is unknown.
  ///   - warn: Logs a warning that is not an error, such as a file that another program moved.
  package init(
    name: String = "sqlite", options: Options,
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.options = options
    self.now = now
    self.utcNow = utcNow
    self.warn = warn
    interval = TrackInterval(seconds: options.intervalSeconds)
    points = TrackBatch(
      limit: options.batchPoints, seconds: min(options.commitSeconds, options.batchSeconds))
    unsynced = TrackBatch(limit: options.batchPoints, seconds: options.batchSeconds)
  }

  /// Opens or creates the file.
  package func start() async throws { try attempt { () throws(SQLiteError) in try open() } }

  /// Adds a location to the batch, and writes the batch if it is due; ignores other events.
  package func receive(_ event: any PipelineEvent) async throws {
    guard let location = (event as? LocationEvent)?.location, interval.take(location) else {
      return
    }
    points.add(location, now: now())
    unsynced.add((), now: now())
    if points.isDue(now: now()) || unsynced.isDue(now: now()) { try await write() }
  }

  /// The points that are waiting to be written.
  package var batch: SinkBatch {
    SinkBatch(
      count: points.rows.count,
      remaining: points.dueAt.map { .seconds($0.seconds(since: now())) })
  }

  /// Writes the waiting points in one transaction.
  package func write() async throws { try attempt { () throws(SQLiteError) in try writePoints() } }

  /// Closes the file.
  package func stop() async { database = nil }

  private func writePoints() throws(SQLiteError) {
    guard !points.rows.isEmpty else { return }
    let isSynced = unsynced.isDue(now: now())
    do throws(SQLiteError) {
      try open()
      try database?.write(points.rows, now: utcNow(), isSynced: isSynced)
    } catch {
      guard error.needsReopening else { throw error }
      // Before a file is opened, because a failure ends this instance of the sink.
      if case .displaced = error { log("\(error)") }
      // Close the file, which `open` may rename.
      database = nil
      try open(after: error)
      try database?.write(points.rows, now: utcNow(), isSynced: isSynced)
    }
    logNotice()
    lastNotice = nil
    points.removeAll(now: now())
    if isSynced { unsynced.removeAll(now: now()) }
  }

  private func open(after error: SQLiteError? = nil) throws(SQLiteError) {
    guard database == nil else { return }
    database = try TrackDatabase(
      path: options.file, bounds: .init(rows: options.limitRows, days: options.keepDays),
      group: options.group, after: error)
    logNotice()
  }

  private func logNotice() {
    if let notice = database?.takeNotice() { log(notice) }
  }

  private func log(_ notice: String) {
    guard notice != lastNotice else { return }
    lastNotice = notice
    warn("\(name): \(notice)")
    PluginNotice.report(notice)
  }

  private func attempt(_ body: () throws(SQLiteError) -> Void) throws(PluginError) {
    do { try body() } catch { throw PluginError(error) }
  }
}

extension PluginError {
  /// Creates an error for the plugin that writes the database.
  init(_ error: SQLiteError) {
    switch error {
    case .tooNew: self.init(.unsupported, "", why: "\(error); use another file or a newer fixcast")
    case .statement: self.init(.permanent, "", why: "\(error)")
    case .full:
      self.init(.transient(), "", why: "\(error); writing resumes when there is free space")
    case .damaged, .displaced, .busy, .unusable: self.init(.transient(), "", why: "\(error)")
    }
  }
}
