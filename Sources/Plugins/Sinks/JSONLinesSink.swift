// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import LocationServices
package import Pipeline
internal import Positioning

/// Writes each event as one compact JSON object a line, under gpsd's names where gpsd has them, to
/// standard output or to a file that is rotated.
package actor JSONLinesSink: Sink {
  private static let file = SettingKey.path(
    "file", default: "-", summary: "where it writes; - for standard output")
  private static let limitBytes = SettingKey.count(
    "limit_bytes", default: 10_000_000,
    summary: "how large the file grows before a new one is begun; 0 for no limit")
  private static let keepFiles = SettingKey.count(
    "keep_files", in: 0...1000, default: 3, summary: "how many full files are kept beside it")
  private static let fsync = SettingKey.choice(
    "fsync", of: ["never", "interval", "always"], default: "never",
    summary: "when lines are put on the disk, where a power cut cannot take them")
  /// What every object begins with, and so every file.
  private static let mark = Array("{\"class\":\"".utf8)
  private static let fsyncSeconds = SettingKey.number(
    "fsync_seconds", in: 1...86_400, default: 30, summary: "the interval of fsync")

  /// The catalogue's entry.
  package static let plugin = Plugin.sink(
    "jsonlines", "one JSON object a line, as gpsd's where gpsd has one",
    [
      file.declaration, limitBytes.declaration, keepFiles.declaration, fsync.declaration,
      fsyncSeconds.declaration,
    ],
    mailbox: .following,
    make: { settings, context throws(SettingsError) in try JSONLinesSink(settings, context) })

  /// The name it is reported under.
  package nonisolated let name: String
  private let context: PluginContext
  private let lines: LineFile?
  private var encoder = EventEncoder()

  package init(_ context: PluginContext) {
    name = context.name ?? Self.plugin.name
    self.context = context
    lines = nil
  }

  /// Makes a sink that has opened nothing yet.
  ///
  /// Throws `SettingsError` where the settings do not fit.
  package init(_ settings: SettingsTable, _ context: PluginContext) throws(SettingsError) {
    name = context.name ?? Self.plugin.name
    self.context = context
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
      limitBytes: limit > 0 ? limit : nil, keepFiles: keep, mark: Self.mark)
    lines =
      path == "-"
      ? nil : LineFile(path: path, rotation: rotation, sync: sync, now: context.now)
  }

  /// Opens the file, where it writes to one.
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
