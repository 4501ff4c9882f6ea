// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// The log of authorization: lines of JSON, only ever added to, for its owner's eyes.
///
/// What people decided and what was taken back lies in `audit.jsonl`; what programs asked, were told
/// and did, in `uses.jsonl`: of that there may be any amount, and it must not drive the former out.
/// Both are bounded: a full file becomes `audit.jsonl.1` in place of the one before.
package struct AuditLog: Sendable {
  static let fileName = "audit.jsonl"
  static let usesFileName = "uses.jsonl"

  package let folder: String
  /// What every line says of how the files were moved; see `AuditEvent.overrides`.
  package var overrides: [String] = []
  /// What every line says of who sees to it; see `AuditEvent.isEnforced`.
  package var isEnforced = false
  private let maxBytes: Int
  private let lockTimeout: Duration

  /// Names a log, whose folder is made by the first line; each of the two files has `maxBytes` at
  /// most.
  package init(folder: String, maxBytes: Int = 1 << 20, lockTimeout: Duration = .seconds(3)) {
    self.folder = folder
    self.maxBytes = maxBytes
    self.lockTimeout = lockTimeout
  }

  /// Where the lines are that say what was decided.
  package var path: String { "\(folder)/\(Self.fileName)" }

  /// Where the lines are that say what programs did.
  package var usesPath: String { "\(folder)/\(Self.usesFileName)" }

  /// Adds a line.
  ///
  /// - Throws: ``DecisionStoreError``; the log then has no part of the line.
  package func append(_ event: AuditEvent) throws(DecisionStoreError) {
    try append(event, lockTimeout: lockTimeout)
  }

  /// Adds a line, which waits that long for those of others.
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

  /// How large a file is; `nil` where there is none.
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
      // Half a line would spoil the next one too.
      _ = ftruncate(descriptor, status.st_size)
      throw error
    }
  }
}
