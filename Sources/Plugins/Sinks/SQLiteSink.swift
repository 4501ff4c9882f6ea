// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
package import Positioning
internal import SQLiteStore

/// Writes locations as rows of an SQLite file, and syncs them to the disk a batch at a time, to spare
/// the memory card.
///
/// The end of the process costs the points of less than a second, a power cut those of a batch. Where
/// no more points come, the kernel's own writing of its cache takes the place of the sync.
package actor SQLiteSink: BatchingSink {
  private static let file = SettingKey.path("file", summary: "where it writes")
    .example(.string("/var/lib/fixcast/track.sqlite"))
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 1, summary: "between two points, at least")
  private static let commitSeconds = SettingKey.number(
    "commit_seconds", in: 0...3600, default: 0.9,
    summary: "between two writes, at least; SIGKILL costs what waits. At a point a second 0.9 "
      + "writes 330 MB a day, 60 writes 25 MB")
  private static let batchPoints = SettingKey.count(
    "batch_points", in: 1...10_000, default: 60,
    summary: "how many points are put on the disk together")
  private static let batchSeconds = SettingKey.number(
    "batch_seconds", in: 0...3600, default: 60,
    summary: "how long a point waits to be put on the disk; a power cut costs what waits")
  private static let limitRows = SettingKey.count(
    "limit_rows", default: 5_000_000,
    summary: "how many points are kept, by default two months at one a second; 0 for all")
  private static let keepDays = SettingKey.count(
    "keep_days", in: 0...36_500, default: 0, summary: "how many days are kept; 0 for all")

  /// The catalogue's entry.
  package static let plugin = Plugin.sink(
    "sqlite", "a track in a table of an SQLite file, a batch at a time",
    [
      file.declaration, intervalSeconds.declaration, commitSeconds.declaration,
      batchPoints.declaration, batchSeconds.declaration, limitRows.declaration,
      keepDays.declaration,
    ],
    mailbox: .track, takes: { _ in { $0 is LocationEvent } },
    besides: SQLiteDatabase.besides,
    make: { settings, context throws(SettingsError) in
      var options = Options(file: try settings.value(of: file))
      options.intervalSeconds = try settings.value(of: intervalSeconds)
      options.commitSeconds = try settings.value(of: commitSeconds)
      options.batchPoints = try settings.value(of: batchPoints)
      options.batchSeconds = try settings.value(of: batchSeconds)
      let (rows, days) = (try settings.value(of: limitRows), try settings.value(of: keepDays))
      options.limitRows = rows > 0 ? rows : nil
      options.keepDays = days > 0 ? days : nil
      return SQLiteSink(
        name: context.name ?? "sqlite", options: options, now: context.now,
        utcNow: context.utcNow, tell: { [logger = context.logger] in logger.warning("\($0)") })
    })

  /// What it writes, and where.
  package struct Options: Equatable, Sendable {
    /// The file.
    package var file: String
    /// How many seconds lie between two points, at least.
    package var intervalSeconds = 1.0
    /// How many seconds lie between two writes, at least.
    ///
    /// Less than a second: of one point a second none waits for a timer.
    package var commitSeconds = 0.9
    /// How many points are synced to the disk together.
    package var batchPoints = 60
    /// How long a point waits to be synced to the disk, in seconds.
    package var batchSeconds = 60.0
    /// How many rows are kept; `nil` for all.
    package var limitRows: Int? = 5_000_000
    /// How many days are kept; `nil` for all.
    package var keepDays: Int?

    /// Makes options.
    package init(file: String) { self.file = file }
  }

  /// The name it is reported under.
  package nonisolated let name: String
  private let options: Options
  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime?
  private let tell: @Sendable (String) -> Void
  private var interval: TrackInterval
  private var points: TrackBatch<Location>
  /// The points that a power cut would cost.
  private var unsynced: TrackBatch<Void>
  private var database: TrackDatabase?

  /// Makes a sink that has opened nothing yet.
  ///
  /// - Parameters:
  ///   - name: The name it is reported under.
  ///   - options: What it writes, and where.
  ///   - now: The present reading of the clock that batches are timed by.
  ///   - utcNow: The board's wall clock; `nil` where it is not known.
  ///   - tell: Takes what is to be told and is no error, such as a damaged file that is set aside.
  package init(
    name: String = "sqlite", options: Options,
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.options = options
    self.now = now
    self.utcNow = utcNow
    self.tell = tell
    interval = TrackInterval(seconds: options.intervalSeconds)
    points = TrackBatch(
      limit: options.batchPoints, seconds: min(options.commitSeconds, options.batchSeconds))
    unsynced = TrackBatch(limit: options.batchPoints, seconds: options.batchSeconds)
  }

  /// Opens the file, or makes it.
  package func start() async throws { try attempt { () throws(SQLiteError) in try open() } }

  /// Takes a location into the batch, and writes the batch where it is time; ignores other events.
  package func receive(_ event: any PipelineEvent) async throws {
    guard let location = (event as? LocationEvent)?.location, interval.take(location) else {
      return
    }
    points.add(location, now: now())
    unsynced.add((), now: now())
    if points.isDue(now: now()) || unsynced.isDue(now: now()) { try await write() }
  }

  /// The points that wait for others.
  package var batch: SinkBatch {
    SinkBatch(
      count: points.rows.count,
      remaining: points.dueAt.map { .seconds($0.seconds(since: now())) })
  }

  /// Writes what waits, in one transaction.
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
      guard case .damaged = error else { throw error }
      // Closed before it is set aside by the opening that follows.
      database = nil
      try open()
      try database?.write(points.rows, now: utcNow(), isSynced: isSynced)
    }
    points.removeAll(now: now())
    if isSynced { unsynced.removeAll(now: now()) }
  }

  private func open() throws(SQLiteError) {
    guard database == nil else { return }
    let opened = try TrackDatabase(
      path: options.file, bounds: .init(rows: options.limitRows, days: options.keepDays))
    if let notice = opened.notice { tell("\(name): \(notice)") }
    database = consume opened
  }

  private func attempt(_ body: () throws(SQLiteError) -> Void) throws(PluginError) {
    do { try body() } catch { throw PluginError(error) }
  }
}

extension PluginError {
  /// What a failure of a database means for the plugin that writes it.
  init(_ error: SQLiteError) {
    switch error {
    case .tooNew: self.init(.unsupported, "", why: "\(error); use another file or that fixcast")
    case .statement: self.init(.permanent, "", why: "\(error)")
    case .full:
      self.init(.transient(), "", why: "\(error); writing goes on when there is room again")
    case .damaged, .busy, .unusable: self.init(.transient(), "", why: "\(error)")
    }
  }
}
