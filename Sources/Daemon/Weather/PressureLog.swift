// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import LocationServices
internal import Positioning
internal import Synchronization
internal import SystemSupport
internal import WeatherFeature

/// The pressure that the board has measured in the last three hours, for all programs that measure
/// it in turns: a tendency takes longer than most of them run.
///
/// In memory of the machine, not on its disk: it is of no use after the next boot, and a card wears
/// out. What cannot be read or written is as if it had not been measured.
package final class PressureLog: Sendable {
  private struct Record: Codable {
    var boot: String
    var tendency: PressureTendency
  }

  /// Fixes with a greater error do not tell whether a board stands.
  private static let worstMeters = PressureTendency.reachMeters

  private let path: String?
  private let boot: String
  private let tendency = Mutex(PressureTendency())

  /// Makes a log; without a file it is for this program alone.
  package convenience init(path: String?) { self.init(path: path, boot: BootTimestamp.now().boot) }

  init(path: String?, boot: String?) {
    self.path = boot == nil ? nil : path
    self.boot = boot ?? ""
  }

  /// Where programs share it.
  ///
  /// - Parameters:
  ///   - root: What stands before all paths.
  ///   - runtimeFolder: The folder that the system makes for a user at login.
  ///   - isRoot: Whether root runs the program.
  /// - Returns: The file's path, in a folder that is made where it is missing; `nil` where there is
  ///   no place for it.
  package static func path(root: String, runtimeFolder: String?, isRoot: Bool) -> String? {
    // Not /run/fixcast, which everybody has to reach the daemon's socket through, and which systemd
    // takes away with all that is in it when the service stops.
    guard
      let place = isRoot
        ? "/run/fixcast-weather"
        : runtimeFolder.flatMap({ $0.hasPrefix("/") ? $0 + "/fixcast" : nil })
    else { return nil }
    let folder = root + place
    // It tells where the board was.
    mkdir(folder, 0o700)
    return folder + "/pressure.json"
  }

  /// Takes note of a measurement, and tells what the pressure does.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure at the sensor.
  ///   - source: The sensor that measured it; `nil` for the board's own.
  ///   - measuredAt: When it was measured; `nil` for now.
  ///   - question: Where the board is.
  ///   - now: The present reading of the clock.
  /// - Returns: The change over three hours in hectopascals; `nil` where it is not known.
  func take(
    stationHectopascals hectopascals: Double, from source: String? = nil,
    measuredAt: MonotonicTime? = nil, _ question: WeatherQueries.Question, now: MonotonicTime
  ) -> Double? {
    let error = question.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) ?? 0
    guard question.isHere, let seenAt = question.seenAt, error <= Self.worstMeters else {
      return nil
    }
    return tendency.withLock { tendency in
      if let kept = kept() { tendency = kept }
      tendency.take(question.coordinate, now: seenAt)
      tendency.take(
        stationHectopascals: hectopascals, from: source, measuredAt: measuredAt, now: now)
      keep(tendency)
      return tendency.hectopascals(now: now)
    }
  }

  private func kept() -> PressureTendency? {
    guard let path, let data = try? Data(contentsOf: URL(filePath: path)),
      let record = try? JSONDecoder().decode(Record.self, from: data), record.boot == boot
    else { return nil }
    return record.tendency
  }

  private func keep(_ tendency: PressureTendency) {
    guard let path,
      let data = try? JSONEncoder().encode(Record(boot: boot, tendency: tendency))
    else { return }
    try? data.write(to: URL(filePath: path), options: .atomic)
  }
}
