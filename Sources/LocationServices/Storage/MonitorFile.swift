// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Stores the conditions of monitors in files, one per name.
///
/// The data is on the disk when a save returns. A monitor sends an event only after the save, so
/// that the event is not sent again after a restart.
public final class MonitorFile: MonitorStorage {
  private let folder: String
  private let report: @Sendable (String) -> Void
  private let files = Mutex<[String: StateFile<MonitorSnapshot>]>([:])

  /// Creates a storage without accessing the folder.
  ///
  /// - Parameters:
  ///   - folder: The folder of the files. The name `van` is stored in `monitor-van.json`. The first
  ///     write creates the folder.
  ///   - report: Receives log lines for the operator, about damaged files and failed writes.
  public init(
    folder: String,
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    self.folder = folder
    self.report = report
  }

  /// Returns the last saved conditions; `nil` if there are no usable conditions.
  ///
  /// A damaged file is renamed with the suffix `.damaged`.
  public func load(_ name: String) -> MonitorSnapshot? { file(name).load() }

  /// Saves a snapshot; returns when the snapshot is on the disk or the failure has been reported.
  public func save(_ snapshot: MonitorSnapshot, for name: String) { file(name).save(snapshot) }

  /// Returns the only object for a name, which remembers whether the file may be overwritten.
  private func file(_ name: String) -> StateFile<MonitorSnapshot> {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = StateFile<MonitorSnapshot>(
        path: "\(folder)/monitor-\(StateFileName.encoded(name)).json", report: report
      ) { $0.isUsable }
      files[name] = file
      return file
    }
  }
}
