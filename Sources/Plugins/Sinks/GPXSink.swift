// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning
internal import SystemSupport

/// Writes locations as a track in a GPX 1.1 file, which is whole at every moment.
///
/// A point is what the receiver said, and no point is what it did not say: where none came for a
/// while the track has a gap, and what a simulator said is a track of its own that says so.
package actor GPXSink: Sink {
  private static let file = SettingKey.path(
    "file",
    summary: "where it writes; {date} in it is the day of the point, {start} when the track began"
  ).example(.string("/var/lib/fixcast/{date}.gpx"))
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 1, summary: "between two points, at least")
  private static let limitBytes = SettingKey.count(
    "limit_bytes", default: 25_000_000,
    summary:
      "how large a file grows before a new one is begun, a day at a point a second; 0 for no limit")
  private static let keepFiles = SettingKey.count(
    "keep_files", in: 0...100_000, default: 30,
    summary: "how many files of the track are kept beside the one that is written")
  private static let gapSeconds = SettingKey.number(
    "gap_seconds", in: 1...86_400, default: 120,
    summary: "without a point, after which the track has a gap")
  private static let fsyncSeconds = SettingKey.number(
    "fsync_seconds", in: 0...86_400, default: 60,
    summary: "after which what was written is put on the disk; 0 for each point")

  /// The catalogue's entry.
  package static let plugin = Plugin.sink(
    "gpx", "a GPX 1.1 track, well-formed at every moment",
    [
      file.declaration, intervalSeconds.declaration, gapSeconds.declaration,
      fsyncSeconds.declaration, limitBytes.declaration, keepFiles.declaration,
    ],
    mailbox: .track, takes: { _ in { $0 is LocationEvent } },
    make: { settings, context throws(SettingsError) in
      var options = Options(file: try settings.value(of: file))
      options.intervalSeconds = try settings.value(of: intervalSeconds)
      options.gapSeconds = try settings.value(of: gapSeconds)
      options.syncSeconds = try settings.value(of: fsyncSeconds)
      let limit = try settings.value(of: limitBytes)
      options.limitBytes = limit > 0 ? limit : nil
      options.keepFiles = try settings.value(of: keepFiles)
      guard !options.folder.contains("{date}"), !options.folder.contains("{start}") else {
        throw settings.error(
          .conflict("takes {date} and {start} in its last part alone: no folder is made"),
          in: "file")
      }
      if let word = GPXPlaceholders.unknown(in: options.file) {
        throw settings.error(.conflict(GPXPlaceholders.problem(with: word)), in: "file")
      }
      guard options.gapSeconds > options.intervalSeconds else {
        throw settings.error(
          .conflict("has to be more than interval_seconds, or every point is a track of its own"),
          in: "gap_seconds")
      }
      return GPXSink(name: context.name ?? "gpx", options: options, now: context.now)
    })

  /// What it writes, and where.
  package struct Options: Equatable, Sendable {
    /// The file; `{date}` in it is the day of the point, `{start}` when the track began, in UTC.
    package var file: String
    /// How many seconds lie between two points, at least.
    package var intervalSeconds = 1.0
    /// After how many seconds without a point the track has a gap.
    package var gapSeconds = 120.0
    /// After how many seconds what was written is put on the disk.
    package var syncSeconds = 60.0
    /// How large a file grows, in bytes, before a new one is begun; `nil` for any size.
    package var limitBytes: Int? = 25_000_000
    /// How many files of the track are kept beside the one that is written.
    package var keepFiles = 30

    /// Makes options.
    package init(file: String) { self.file = file }

    /// Where the files lie.
    var folder: String { String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) }
    /// Their name, without the folder.
    var pattern: String { file.split(separator: "/").last.map(String.init) ?? file }
  }

  /// The name it is reported under.
  package nonisolated let name: String
  private let sync: SyncPolicy
  private let folder: String
  private let rotation: FileRotation
  private let retention: GPXRetention
  private let now: @Sendable () -> MonotonicTime
  private var interval: TrackInterval
  private var track: GPXTrack
  private var current: (name: String, file: GPXFile)?
  private var lastSync: MonotonicTime

  package init(
    name: String = "gpx", options: Options, now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.name = name
    self.now = now
    sync = options.syncSeconds > 0 ? .interval(seconds: options.syncSeconds) : .always
    folder = options.folder
    rotation = FileRotation(
      limitBytes: options.limitBytes, keepFiles: options.keepFiles,
      mark: Array(GPXText.header.utf8))
    retention = GPXRetention(pattern: options.pattern, keepFiles: options.keepFiles)
    interval = TrackInterval(seconds: options.intervalSeconds)
    // Points that are wanted that far apart are no gap.
    track = GPXTrack(
      pattern: options.file, gapSeconds: max(options.gapSeconds, 2 * options.intervalSeconds))
    lastSync = now()
  }

  /// Writes a location as a point; passes over everything else.
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
        // Refused is refused: a point that comes again is there once.
        current?.file.takeBack()
        throw error
      }
    } catch {
      throw PluginError(error)
    }
  }

  /// Puts what was written on the disk.
  package func stop() async {
    try? current?.file.synchronize()
    current = nil
  }

  private func write(_ addition: GPXTrack.Addition) throws(FileFailure) {
    var full: String?
    if let (name, file) = current, name == addition.name, file.isInPlace {
      let text =
        switch addition.join {
        case .continues: addition.point
        case .segment: GPXText.nextSegment + addition.point
        case .track: GPXText.endOfTrack + addition.track + addition.point
        }
      guard file.size(adding: text) > rotation.limitBytes ?? .max else {
        return try file.append(text)
      }
      full = file.path
    }
    try current?.file.synchronize()
    current = nil
    if let full { try rotation.makeRoom(for: full) }
    let file = try GPXFile.begin(addition.name, track: addition.track, point: addition.point)
    current = (addition.name, file)
    prune(beside: file)
  }

  /// Removes what is beyond as many files as are kept; what cannot be removed now is tried again with
  /// the next file.
  private func prune(beside file: GPXFile) {
    let place = folder.isEmpty ? "" : folder + "/"
    let names = try? FolderListing.names(in: folder.isEmpty ? "." : folder, most: 1_000_000) { _ in
      true
    }
    for name in retention.surplus(
      of: names ?? [], current: String(file.path.dropFirst(place.count)))
    {
      try? GPXFile.remove(place + name)
    }
  }
}
