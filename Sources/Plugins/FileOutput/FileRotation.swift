// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// When a file makes room for a new one, and what becomes of those before it.
struct FileRotation: Equatable, Sendable {
  /// A step in making room.
  enum Step: Equatable, Sendable {
    case move(from: String, to: String)
    case remove(String)
  }

  /// How large a file may grow, in bytes; `nil` for one that somebody else keeps small.
  var limitBytes: Int?
  /// How many full files are kept beside the one that is written.
  var keepFiles: Int
  /// What each file of the sink's own begins with, by which it is known.
  var mark: [UInt8] = []

  /// How many numbers that others have taken are passed over.
  private static let maxForeign = 1000

  /// Whether a file has to make room before so many bytes are added: a line is never split.
  func isDue(size: Int, adding count: Int) -> Bool {
    guard let limitBytes, size > 0 else { return false }
    return count > limitBytes - min(size, limitBytes)
  }

  /// What to do to make room, in this order; full files have `.1` (the newest) and so on behind
  /// their name.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isForeign: Whether a name is taken by what is not the sink's own; its number is passed over.
  /// - Returns: The steps; none where every number is taken.
  func steps(for path: String, isForeign: (String) -> Bool = { _ in false }) -> [Step] {
    guard keepFiles > 0 else { return [.remove(path)] }
    var names = [path]
    for number in 1...keepFiles + Self.maxForeign where names.count <= keepFiles {
      let name = "\(path).\(number)"
      if !isForeign(name) { names.append(name) }
    }
    return zip(names, names.dropFirst()).reversed().map { Step.move(from: $0, to: $1) }
  }

  /// Makes room.
  ///
  /// Throws where a step fails; what has been done stays.
  func makeRoom(for path: String) throws(FileFailure) {
    let owner = Self.status(path)?.st_uid
    let steps = steps(for: path) { isForeign($0, owner) }
    if steps.isEmpty { throw FileFailure(path: path + ".1", call: "rename", number: EEXIST) }
    for step in steps {
      switch step {
      case .remove(let name): try FileFailure.check(name, "unlink") { unlink(name) }
      case .move(let from, let to):
        // Fewer than are kept may be there yet.
        guard access(from, F_OK) == 0 else { continue }
        try FileFailure.check(from, "rename") { rename(from, to) }
      }
    }
  }

  /// Whether a name leads to what the sink has not written: it begins otherwise, or is somebody
  /// else's than the file that is written.
  private func isForeign(_ path: String, _ owner: uid_t?) -> Bool {
    guard let status = Self.status(path) else { return errno != ENOENT }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner else { return true }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: max(mark.count, 1))
    let count = read(descriptor, &bytes, bytes.count)
    return count < bytes.count || !bytes.starts(with: mark)
  }

  /// What a name leads to, if not on to another; `nil` where that is not to be had.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
