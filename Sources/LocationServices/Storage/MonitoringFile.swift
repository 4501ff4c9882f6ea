// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Keeps the regions, the visit and the last significant change of a location manager in a file.
///
/// Written by a thread of its own, so that no location waits for a disk: of several states that
/// come meanwhile the newest is written. A program that is killed within that moment tells of its
/// last crossing again in its next run. Core Location keeps regions for a program in its daemon.
public final class MonitoringFile: MonitoringStorage {
  private let file: StateFile<MonitoringState>
  private let jobs = SerialWorkQueue()
  private let next = Mutex<MonitoringState?>(nil)

  /// Names the file; touches nothing.
  ///
  /// - Parameters:
  ///   - folder: Where `regions.json` lies; made by the first write.
  ///   - report: Takes lines for whoever runs the board: what is damaged, and what cannot be
  ///     written.
  public init(
    folder: String,
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    file = StateFile(path: "\(folder)/regions.json", report: report) { $0.isUsable }
  }

  /// Reads what was saved last; a damaged file is set aside as `regions.json.damaged`.
  ///
  /// - Returns: The state; `nil` where there is none that can be used.
  public func load() -> MonitoringState? { file.load() }

  /// Saves; returns at once.
  public func save(_ state: MonitoringState) {
    let isAlone = next.withLock { next in
      defer { next = state }
      return next == nil
    }
    if isAlone { jobs.add { self.write() } }
  }

  private func write() {
    let newest = next.withLock { next in
      defer { next = nil }
      return next
    }
    if let newest { file.save(newest) }
  }

  /// Waits until what was saved is on the disk, or was reported not to be.
  public func flush() async {
    await withCheckedContinuation { continuation in jobs.add { continuation.resume() } }
  }
}
