// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
package import Positioning
internal import SystemSupport

/// Writes locations as a track in a GPX 1.1 file, which is well-formed at every moment.
///
/// Each point is exactly one reported location. If no location arrives for longer than
/// `gap_seconds`, the track has a gap. Simulated locations form a separate track that is marked as
/// simulated.
package actor GPXSink: Sink {
  private static let file = SettingKey.path(
    "file",
    summary: "output file; {date} is the date of the point, {start} the start time of the track"
  ).example(.string("/var/lib/fixcast/{date}.gpx"))
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 1, summary: "minimum time between two points")
  private static let limitBytes = SettingKey.count(
    "limit_bytes", default: 25_000_000,
    summary:
      "file size at which a new file is created; the default holds about a day at one point per "
      + "second; 0 for no limit")
  private static let keepFiles = SettingKey.count(
    "keep_files", in: 0...100_000, default: 30,
    summary: "number of files to keep in addition to the current one")
  private static let gapSeconds = SettingKey.number(
    "gap_seconds", in: 1...86_400, default: 120,
    summary: "time without a point after which the track has a gap")
  private static let fsyncSeconds = SettingKey.number(
    "fsync_seconds", in: 0...86_400, default: 60,
    summary: "interval of syncs to the disk; 0 to sync after each point")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "gpx", "a GPX 1.1 track, well-formed at every moment",
    [
      file.declaration, FileGroup.key.declaration, intervalSeconds.declaration,
      gapSeconds.declaration,
      fsyncSeconds.declaration, limitBytes.declaration, keepFiles.declaration,
    ],
    mailbox: .track, makeFilter: { _ in { $0 is LocationEvent } },
    make: { settings, context throws(SettingsError) in
      var options = Options(file: try settings.value(of: file))
      options.group = try settings.value(of: FileGroup.key).map { FileGroup($0) }
      options.intervalSeconds = try settings.value(of: intervalSeconds)
      options.gapSeconds = try settings.value(of: gapSeconds)
      options.syncSeconds = try settings.value(of: fsyncSeconds)
      let limit = try settings.value(of: limitBytes)
      options.limitBytes = limit > 0 ? limit : nil
      options.keepFiles = try settings.value(of: keepFiles)
      guard !options.folder.contains("{date}"), !options.folder.contains("{start}") else {
        throw settings.error(
          .conflict("supports {date} and {start} only in the file name; folders are not created"),
          in: "file")
      }
      if let word = GPXPlaceholders.unknown(in: options.file) {
        throw settings.error(.conflict(GPXPlaceholders.problem(with: word)), in: "file")
      }
      guard options.gapSeconds > options.intervalSeconds else {
        throw settings.error(
          .conflict("must be greater than interval_seconds; else every point is a segment"),
          in: "gap_seconds")
      }
      return GPXSink(
        name: context.name ?? "gpx", options: options, now: context.now,
        warn: { [logger = context.logger] in logger.warning("\($0)") })
    })

  /// The settings of a GPX sink.
  package struct Options: Equatable, Sendable {
    /// The path; `{date}` is replaced by the date of the point, `{start}` by the start time of the
    /// track, in UTC.
    package var file: String
    /// The group whose members may read the files; `nil` for only the owner.
    package var group: FileGroup?
    /// The minimum time between two points, in seconds.
    package var intervalSeconds = 1.0
    /// The time without a point after which the track has a gap, in seconds.
    package var gapSeconds = 120.0
    /// The interval of syncs to the disk, in seconds; 0 syncs after each point.
    package var syncSeconds = 60.0
    /// The size of a file in bytes at which a new file is created; `nil` for no limit.
    package var limitBytes: Int? = 25_000_000
    /// The number of files to keep in addition to the current one.
    package var keepFiles = 30

    /// Creates options with defaults.
    package init(file: String) { self.file = file }

    /// The folder of the files.
    var folder: String { String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) }
    /// The file name without the folder.
    var pattern: String { file.split(separator: "/").last.map(String.init) ?? file }
  }

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let sync: SyncPolicy
  private let folder: String
  private let group: FileGroup?
  private let rotation: FileRotation
  private let retention: GPXRetention
  private let now: @Sendable () -> MonotonicTime
  private let warn: @Sendable (String) -> Void
  private var interval: TrackInterval
  private var track: GPXTrack
  private var current: (name: String, file: GPXFile)?
  private var lastSync: MonotonicTime

  /// Creates a sink without opening a file; `warn` logs what happened to the file.
  package init(
    name: String = "gpx", options: Options, now: @escaping @Sendable () -> MonotonicTime,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.now = now
    self.warn = warn
    sync = options.syncSeconds > 0 ? .interval(seconds: options.syncSeconds) : .always
    folder = options.folder
    group = options.group
    rotation = FileRotation(
      limitBytes: options.limitBytes, keepFiles: options.keepFiles,
      signature: Array(GPXText.header.utf8))
    retention = GPXRetention(pattern: options.pattern, keepFiles: options.keepFiles)
    interval = TrackInterval(seconds: options.intervalSeconds)
    // An interval that is longer than the gap setting must not split the track at every point.
    track = GPXTrack(
      pattern: options.file, gapSeconds: max(options.gapSeconds, 2 * options.intervalSeconds))
    lastSync = now()
  }

  /// Writes a location as a point; ignores other events.
  package func receive(_ event: any PipelineEvent) async throws {
    guard let location = (event as? LocationEvent)?.location, interval.take(location),
      let addition = track.take(location)
    else { return }
    do throws(FileFailure) {
      try write(addition)
      guard sync.isDue(since: lastSync, now: now()) else { return }
      lastSync = now()
      do throws(FileFailure) {
        try current?.file.synchronize()
      } catch {
        // Remove the failed point, so that the file does not contain it twice if it is sent again.
        current?.file.removeLastAddition()
        throw error
      }
    } catch {
      throw PluginError(error)
    }
  }

  /// Syncs the file to the disk and closes it.
  package func stop() async {
    try? current?.file.synchronize()
    current = nil
  }

  private func write(_ addition: GPXTrack.Addition) throws(FileFailure) {
    var fullPath: String?
    var change = current.flatMap { $0.name == addition.name ? $0.file.change() : nil }
    if let found = change, let path = current?.file.path {
      // Before a file is opened, because a failure ends this instance of the sink.
      log(found.message(for: path))
      if found == .madeReadOnly { change = nil }
    }
    if let (name, file) = current, name == addition.name, change == nil {
      let text =
        switch addition.join {
        case .continues: addition.point
        case .segment: GPXText.nextSegment + addition.point
        case .track: GPXText.endOfTrack + addition.track + addition.point
        }
      guard file.size(adding: text) > rotation.limitBytes ?? .max else {
        return try file.append(text)
      }
      fullPath = file.path
    }
    try current?.file.synchronize()
    current = nil
    if let fullPath { try rotation.rotate(for: fullPath) }
    let file = try GPXFile.open(
      addition.name, track: addition.track, point: addition.point, group: group)
    current = (addition.name, file)
    if change == nil, let notice = file.notice { log(notice) }
    prune(beside: file)
  }

  private func log(_ notice: String) {
    warn("\(name): \(notice)")
    PluginNotice.report(notice)
  }

  /// Removes old files beyond the limit.
  ///
  /// If a file cannot be removed, the removal is retried when the next file is created.
  private func prune(beside file: GPXFile) {
    let prefix = folder.isEmpty ? "" : folder + "/"
    let names = try? FolderListing.names(in: folder.isEmpty ? "." : folder, limit: 1_000_000) { _ in
      true
    }
    for name in retention.surplus(
      of: names ?? [], current: String(file.path.dropFirst(prefix.count)))
    {
      try? GPXFile.remove(prefix + name)
    }
  }
}
