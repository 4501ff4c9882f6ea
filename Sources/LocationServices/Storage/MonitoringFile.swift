// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Stores the regions, the visit and the last significant change of a manager in a file.
///
/// A separate thread writes the file, so that no location waits for a disk. If several states are
/// saved during a write, only the newest is written next. A program that is killed before the write
/// reports its last crossing again after the restart. On Apple platforms, Core Location's daemon
/// stores this state; here each program stores its own.
public final class MonitoringFile: MonitoringStorage {
  private let file: StateFile<MonitoringState>
  private let jobs = SerialWorkQueue()
  private let next = Mutex<MonitoringState?>(nil)

  /// Creates a storage without accessing the file.
  ///
  /// - Parameters:
  ///   - folder: The folder of `regions.json`. The first write creates the folder.
  ///   - report: Receives log lines for the operator, about a damaged file and failed writes.
  public init(
    folder: String,
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    file = StateFile(path: "\(folder)/regions.json", report: report) { $0.isUsable }
  }

  /// Returns the last saved state; `nil` if there is no usable state.
  ///
  /// A damaged file is renamed to `regions.json.damaged`.
  public func load() -> MonitoringState? { file.load() }

  /// Queues a state to be written; returns at once.
  public func save(_ state: MonitoringState) {
    let needsJob = next.withLock { next in
      defer { next = state }
      return next == nil
    }
    if needsJob { jobs.add { self.write() } }
  }

  private func write() {
    let newest = next.withLock { next in
      defer { next = nil }
      return next
    }
    if let newest { file.save(newest) }
  }

  /// Waits until the saved states are on the disk or the failure has been reported.
  public func flush() async {
    await withCheckedContinuation { continuation in jobs.add { continuation.resume() } }
  }
}
