// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Append-only log of authorization in JSON lines, readable by its owner only.
///
/// Decisions of operators and revocations are written to `audit.jsonl`. Requests of programs, their
/// answers and uses are written to `uses.jsonl`, because there may be any number of them and they
/// must not displace decisions. Both files are bounded: a full file is renamed with the suffix
/// `.1`, and the file that had this name before is lost.
package struct AuditLog: Sendable {
  static let fileName = "audit.jsonl"
  static let usesFileName = "uses.jsonl"

  package let folder: String
  /// The value of `AuditEvent.overrides` in every line.
  package var overrides: [String] = []
  /// The value of `AuditEvent.isEnforced` in every line.
  package var isEnforced = false
  private let maxBytes: Int
  private let lockTimeout: Duration

  /// Creates a log with at most `maxBytes` per file; writing the first line creates the folder.
  package init(folder: String, maxBytes: Int = 1 << 20, lockTimeout: Duration = .seconds(3)) {
    self.folder = folder
    self.maxBytes = maxBytes
    self.lockTimeout = lockTimeout
  }

  /// The path of the log of decisions.
  package var path: String { "\(folder)/\(Self.fileName)" }

  /// The path of the log of requests and uses by programs.
  package var usesPath: String { "\(folder)/\(Self.usesFileName)" }

  /// Appends a line.
  ///
  /// - Throws: ``DecisionStoreError``; the file then contains no part of the line.
  package func append(_ event: AuditEvent) throws(DecisionStoreError) {
    try append(event, lockTimeout: lockTimeout)
  }

  /// Appends a line; waits up to `lockTimeout` while other processes write.
  func append(_ event: AuditEvent, lockTimeout: Duration) throws(DecisionStoreError) {
    var event = event
    event.overrides = overrides
    event.isEnforced = isEnforced
    let bytes = event.bytes
    let path = event.isDecision ? path : usesPath
    do throws(FileFailure) { try StateFolder.make(folder) } catch { throw .file(error) }
    let lock = try StateLock(path: "\(folder)/audit.lock", timeout: lockTimeout)
    defer { lock.release() }
    do throws(FileFailure) {
      if let size = try size(of: path), size + bytes.count > maxBytes {
        try FileFailure.check(path, "rename") { rename(path, path + ".1") }
      }
      try add(bytes, to: path)
    } catch { throw .file(error) }
  }

  /// Returns the size of a file in bytes; `nil` if it does not exist.
  private func size(of path: String) throws(FileFailure) -> Int? {
    var status = stat()
    guard stat(path, &status) != 0 else { return Int(status.st_size) }
    let failure = FileFailure(path: path, call: "stat", number: errno)
    guard failure.isMissing else { throw failure }
    return nil
  }

  private func add(_ bytes: [UInt8], to path: String) throws(FileFailure) {
    let descriptor = try FileFailure.check(path, "open") {
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    }
    defer { close(descriptor) }
    try StateFolder.adopt(descriptor, path: path)
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    do throws(FileFailure) {
      try AtomicFile.writeAll(bytes, to: descriptor, path: path)
    } catch {
      // Remove a partial line, because the next line would be appended to it.
      _ = ftruncate(descriptor, status.st_size)
      throw error
    }
  }
}
