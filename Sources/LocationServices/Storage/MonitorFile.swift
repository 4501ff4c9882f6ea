// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Keeps the conditions of monitors in files, one for each name.
///
/// On the disk when a save returns: a monitor tells of an event only then, so that it is told once
/// whatever happens to the program.
public final class MonitorFile: MonitorStorage {
  private let folder: String
  private let report: @Sendable (String) -> Void
  private let files = Mutex<[String: StateFile<MonitorSnapshot>]>([:])

  /// Names the folder; touches nothing.
  ///
  /// - Parameters:
  ///   - folder: Where the files lie, `monitor-van.json` for the name `van`; made by the first
  ///     write.
  ///   - report: Takes lines for whoever runs the board: what is damaged, and what cannot be
  ///     written.
  public init(
    folder: String,
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    self.folder = folder
    self.report = report
  }

  /// Reads what was saved last; a damaged file is set aside with `.damaged` behind its name.
  ///
  /// - Parameter name: The monitor's name.
  /// - Returns: The conditions; `nil` where there are none that can be used.
  public func load(_ name: String) -> MonitorSnapshot? { file(name).load() }

  /// Saves, and waits for the disk.
  public func save(_ snapshot: MonitorSnapshot, for name: String) { file(name).save(snapshot) }

  /// One for each name, since it remembers what may not be written over.
  private func file(_ name: String) -> StateFile<MonitorSnapshot> {
    files.withLock { files in
      if let file = files[name] { return file }
      let file = StateFile<MonitorSnapshot>(
        path: "\(folder)/monitor-\(StateFileName.spelled(name)).json", report: report
      ) { $0.isUsable }
      files[name] = file
      return file
    }
  }
}
