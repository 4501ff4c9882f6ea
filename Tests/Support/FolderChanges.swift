// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Waits for changes of files, which the kernel reports.
package enum FolderChanges {
  /// The kernel cannot watch the folder.
  package struct WatchError: Error {
    /// The path of the folder.
    package let folder: String
  }

  /// Waits until a condition is true; checks the condition at once and after each change.
  ///
  /// The condition must not change the files itself, or it is checked without a pause.
  ///
  /// - Parameters:
  ///   - folder: The folder, which need not exist yet.
  ///   - suffix: The suffix of the names of the files; empty for all files.
  ///   - isolation: The actor on which the condition is checked.
  ///   - isSatisfied: The condition.
  /// - Throws: ``WatchError``, `CancellationError` if the task is cancelled as by a test's time
  ///   limit, or the error of the condition.
  package static func wait(
    in folder: String, suffix: String = "", isolation: isolated (any Actor)? = #isolation,
    until isSatisfied: () async throws -> Bool
  ) async throws {
    let changes = EventRecorder<FolderWatch.Event>()
    let watch = FolderWatch([.init(path: folder, suffix: suffix)]) { changes.record($0) }
    guard let watch else { throw WatchError(folder: folder) }
    var seen = changes.events.count
    while try await !isSatisfied() {
      // Changes during the check also count.
      let count = await changes.wait(for: seen + 1).count
      guard count > seen else { throw CancellationError() }
      seen = count
    }
    withExtendedLifetime(watch) {}
  }
}
