// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Decides when a file is rotated, and renames or removes the older files.
struct FileRotation: Equatable, Sendable {
  /// A step of a rotation.
  enum Step: Equatable, Sendable {
    case move(from: String, to: String)
    case remove(String)
  }

  /// The size limit in bytes; `nil` for no limit, for example if logrotate is used.
  var limitBytes: Int?
  /// The number of full files to keep in addition to the current one.
  var keepFiles: Int
  /// The bytes with which each of the sink's files begins; used to recognize the files.
  var signature: [UInt8] = []

  /// The maximum number of suffixes to skip because other programs' files have these suffixes.
  private static let maxSkippedSuffixes = 1000

  /// Whether the file must be rotated before `count` bytes are added; a line is never split.
  func isDue(size: Int, adding count: Int) -> Bool {
    guard let limitBytes, size > 0 else { return false }
    return count > limitBytes - min(size, limitBytes)
  }

  /// Returns the steps of a rotation, in order.
  ///
  /// Full files get the suffix `.1` (the newest), `.2` and so on.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isForeign: Whether the file with this name was not written by the sink. The suffixes of
  ///     such files are skipped.
  /// - Returns: The steps; empty if other programs' files have all suffixes.
  func steps(for path: String, isForeign: (String) -> Bool = { _ in false }) -> [Step] {
    guard keepFiles > 0 else { return [.remove(path)] }
    var names = [path]
    for number in 1...keepFiles + Self.maxSkippedSuffixes where names.count <= keepFiles {
      let name = "\(path).\(number)"
      if !isForeign(name) { names.append(name) }
    }
    return zip(names, names.dropFirst()).reversed().map { Step.move(from: $0, to: $1) }
  }

  /// Rotates the files.
  ///
  /// Throws if a step fails; earlier steps are not undone.
  func rotate(for path: String) throws(FileFailure) {
    let owner = Self.status(path)?.st_uid
    let steps = steps(for: path) { isForeign($0, owner) }
    if steps.isEmpty { throw FileFailure(path: path + ".1", call: "rename", number: EEXIST) }
    for step in steps {
      switch step {
      case .remove(let name): try FileFailure.check(name, "unlink") { unlink(name) }
      case .move(let from, let to):
        // Older files may not exist yet.
        guard access(from, F_OK) == 0 else { continue }
        try FileFailure.check(from, "rename") { rename(from, to) }
      }
    }
  }

  /// Whether the file was not written by the sink: the file has no `signature`, or has another
  /// owner than the current file.
  private func isForeign(_ path: String, _ owner: uid_t?) -> Bool {
    guard let status = Self.status(path) else { return errno != ENOENT }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner else { return true }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: max(signature.count, 1))
    let count = read(descriptor, &bytes, bytes.count)
    return count < bytes.count || !bytes.starts(with: signature)
  }

  /// Returns the status of a path without following symbolic links; `nil` if it cannot be read.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
