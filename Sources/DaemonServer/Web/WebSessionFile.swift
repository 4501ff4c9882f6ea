// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import SystemSupport

/// The file that keeps the sessions of the status page over a restart of the daemon.
///
/// Only the daemon reads and writes the file. It contains hashes of the secrets of browsers.
final class WebSessionFile: Sendable {
  private struct Content: Codable {
    var version = 1
    var lastNumber: UInt64
    var sessions: [WebSessions.Saved.Session]
  }

  /// The maximum size in bytes, enough for ``WebSessions/maxCount`` sessions.
  private static let maxBytes = 65_536

  private let path: String
  private let report: @Sendable (String) -> Void
  private let queue = SerialWorkQueue()
  /// The sessions to write; `nil` if none wait.
  private let newest = Mutex<WebSessions.Saved?>(nil)

  init(path: String, report: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.report = report
  }

  /// Returns the saved sessions; `nil` if there is no file, or if it cannot be used.
  func load() -> WebSessions.Saved? {
    let bytes: [UInt8]
    do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
      if !error.isMissing { report("\(error); browsers have to log in again") }
      return nil
    }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)),
      content.version == 1
    else {
      report("\(path): is damaged; browsers have to log in again")
      return nil
    }
    return WebSessions.Saved(lastNumber: content.lastNumber, sessions: content.sessions)
  }

  /// Returns after all sessions that were saved before are on the disk.
  func flush() async {
    await withCheckedContinuation { continuation in queue.add { continuation.resume() } }
  }

  /// Writes the sessions, on a thread of its own.
  ///
  /// If they cannot be written, the old file is removed, so that no session that has ended comes back.
  func save(_ saved: WebSessions.Saved) {
    // A write that waits for the disk takes the newest sessions, so that no writes pile up.
    let isQueued = newest.withLock { newest in
      defer { newest = saved }
      return newest != nil
    }
    if !isQueued { queue.add { [self] in write() } }
  }

  private func write() {
    guard let saved = newest.withLock({ $0.take() }) else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let content = Content(lastNumber: saved.lastNumber, sessions: saved.sessions)
    guard let data = try? encoder.encode(content) else { return }
    do throws(FileFailure) {
      try StateFolder.make(StateFolder.parent(of: path))
      try AtomicFile.write(Array(data) + [UInt8(ascii: "\n")], to: path)
    } catch {
      let isRemoved = unlink(path) == 0 || errno == ENOENT
      report(
        "\(error); after a restart, "
          + (isRemoved
            ? "browsers have to log in again"
            : "sessions of \(path) that have ended may continue"))
    }
  }
}
