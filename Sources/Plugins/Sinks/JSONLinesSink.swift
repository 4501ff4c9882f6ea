// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
internal import Positioning

/// Writes each event as a compact JSON object on one line, to standard output or to a file with
/// rotation.
///
/// Objects and keys that gpsd defines have the same names as in gpsd.
package actor JSONLinesSink: Sink {
  private static let file = SettingKey.path(
    "file", default: "-", summary: "output file; - for standard output")
  private static let limitBytes = SettingKey.count(
    "limit_bytes", default: 10_000_000,
    summary: "file size at which a new file is created; 0 for no limit")
  private static let keepFiles = SettingKey.count(
    "keep_files", in: 0...1000, default: 3, summary: "number of full files to keep")
  private static let fsync = SettingKey.choice(
    "fsync", of: ["never", "interval", "always"], default: "never",
    summary: "when to sync lines to the disk, so that they survive a power cut")
  /// The beginning of every object, and therefore of every file.
  private static let signature = Array("{\"class\":\"".utf8)
  private static let fsyncSeconds = SettingKey.number(
    "fsync_seconds", in: 1...86_400, default: 30,
    summary: "interval of syncs, if fsync is interval")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "jsonlines", "one JSON object per line, in gpsd's format where gpsd defines one",
    [
      file.declaration, FileGroup.key.declaration, limitBytes.declaration, keepFiles.declaration,
      fsync.declaration, fsyncSeconds.declaration,
    ] + EventSelection.settings,
    mailbox: .following,
    make: { settings, context throws(SettingsError) in try JSONLinesSink(settings, context) })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let context: PluginContext
  private let lines: LineFile?
  private var encoder: EventEncoder

  package init(_ context: PluginContext) {
    name = context.name ?? Self.plugin.name
    self.context = context
    lines = nil
    encoder = EventEncoder()
  }

  /// Creates a sink without opening its file.
  ///
  /// Throws `SettingsError` if the settings are invalid.
  package init(_ settings: SettingsTable, _ context: PluginContext) throws(SettingsError) {
    name = context.name ?? Self.plugin.name
    self.context = context
    encoder = EventEncoder(try EventSelection(settings))
    let path = try settings.value(of: Self.file)
    let limit = try settings.value(of: Self.limitBytes)
    let keep = try settings.value(of: Self.keepFiles)
    let seconds = try settings.value(of: Self.fsyncSeconds)
    let sync: SyncPolicy =
      switch try settings.value(of: Self.fsync) {
      case "always": .always
      case "interval": .interval(seconds: seconds)
      default: .never
      }
    let rotation = FileRotation(
      limitBytes: limit > 0 ? limit : nil, keepFiles: keep, signature: Self.signature)
    let group = try settings.value(of: FileGroup.key).map { FileGroup($0) }
    lines =
      path == "-"
      ? nil
      : LineFile(
        path: path, rotation: rotation, sync: sync,
        group: group, now: context.now,
        warn: { [name, logger = context.logger] in
          logger.warning("\(name): \($0)")
          PluginNotice.report($0)
        })
  }

  /// Opens the file, unless the sink writes to standard output.
  package func start() async throws {
    do { try lines?.open() } catch { throw PluginError(error) }
  }

  /// Closes the file.
  package func stop() async { try? lines?.close() }

  /// Writes an event.
  package func receive(_ event: any PipelineEvent) async throws {
    let bytes = encoder.encode(
      event, now: context.isLive ? context.now() : nil,
      utcNow: context.isLive ? context.utcNow() : nil)
    guard !bytes.isEmpty else { return }
    guard let lines else { return try context.write(bytes) }
    do { try lines.append(bytes) } catch { throw PluginError(error) }
  }
}
