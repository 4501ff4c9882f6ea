// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import LocationServices
internal import Positioning
internal import Synchronization
internal import SystemSupport
internal import WeatherFeature

/// The board's pressure measurements of the last three hours, shared by all programs of the user.
///
/// Measurements are shared because a pressure tendency covers a longer time than most programs run.
/// The file is on a RAM disk, because measurements are useless after a reboot and frequent writes
/// wear out an SD card. Read and write errors are ignored.
package final class PressureLog: Sendable {
  private struct Record: Codable {
    var boot: String
    var tendency: PressureTendency
  }

  /// The maximum horizontal error of a fix, in metres.
  ///
  /// A fix with a larger error cannot show whether the board is stationary.
  private static let maxErrorMeters = PressureTendency.reachMeters

  private let path: String?
  /// The ID of the current boot; measurements of an earlier boot are ignored.
  private let boot: String
  private let tendency = Mutex(PressureTendency())

  /// Creates a log.
  ///
  /// If `path` is `nil`, the log is not shared with other programs.
  package convenience init(path: String?) { self.init(path: path, boot: BootTimestamp.now().boot) }

  init(path: String?, boot: String?) {
    self.path = boot == nil ? nil : path
    self.boot = boot ?? ""
  }

  /// Returns the path of the shared file, and creates its directory.
  ///
  /// - Parameters:
  ///   - root: A directory prefixed to all system paths; normally empty.
  ///   - runtimeFolder: The user's `XDG_RUNTIME_DIR`.
  ///   - isRoot: Whether the program runs as root.
  /// - Returns: The path; `nil` for a user without a runtime directory.
  package static func path(root: String, runtimeFolder: String?, isRoot: Bool) -> String? {
    // Do not use /run/fixcast: every user can enter that directory to reach the daemon's socket,
    // and systemd deletes it when the service stops.
    guard
      let place = isRoot
        ? "/run/fixcast-weather"
        : runtimeFolder.flatMap({ $0.hasPrefix("/") ? $0 + "/fixcast" : nil })
    else { return nil }
    let folder = root + place
    // Only this user may enter the directory, because the file reveals where the board was.
    mkdir(folder, 0o700)
    return folder + "/pressure.json"
  }

  /// Records a measurement, and returns the pressure tendency.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure at the sensor.
  ///   - source: The sensor; `nil` for the board's own sensor.
  ///   - measuredAt: The time of the measurement; `nil` for now.
  ///   - question: The location of the board.
  ///   - now: The current monotonic time.
  /// - Returns: The change over three hours in hectopascals; `nil` if it is unknown.
  func take(
    stationHectopascals hectopascals: Double, from source: String? = nil,
    measuredAt: MonotonicTime? = nil, _ question: WeatherQueries.Question, now: MonotonicTime
  ) -> Double? {
    let error = question.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) ?? 0
    guard question.isAtBoard, let seenAt = question.seenAt, error <= Self.maxErrorMeters else {
      return nil
    }
    return tendency.withLock { tendency in
      if let stored = load() { tendency = stored }
      tendency.take(question.coordinate, now: seenAt)
      tendency.take(
        stationHectopascals: hectopascals, from: source, measuredAt: measuredAt, now: now)
      store(tendency)
      return tendency.hectopascals(now: now)
    }
  }

  private func load() -> PressureTendency? {
    guard let path, let data = try? Data(contentsOf: URL(filePath: path)),
      let record = try? JSONDecoder().decode(Record.self, from: data), record.boot == boot
    else { return nil }
    return record.tendency
  }

  private func store(_ tendency: PressureTendency) {
    guard let path,
      let data = try? JSONEncoder().encode(Record(boot: boot, tendency: tendency))
    else { return }
    try? data.write(to: URL(filePath: path), options: .atomic)
  }
}
