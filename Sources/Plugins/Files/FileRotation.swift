// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices

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

  /// Whether a file has to make room before so many bytes are added: a line is never split.
  func isDue(size: Int, adding count: Int) -> Bool {
    guard let limitBytes, size > 0 else { return false }
    return count > limitBytes - min(size, limitBytes)
  }

  /// What to do to make room, in this order; full files have `.1` (the newest) and so on behind
  /// their name.
  func steps(for path: String) -> [Step] {
    guard keepFiles > 0 else { return [.remove(path)] }
    let moves = (1...keepFiles).reversed().map { number in
      Step.move(from: number == 1 ? path : "\(path).\(number - 1)", to: "\(path).\(number)")
    }
    return moves
  }

  /// Makes room.
  ///
  /// - Parameter path: The file, which nobody has open any more.
  /// - Throws: Where a step fails; what has been done stays.
  func makeRoom(for path: String) throws(FileFailure) {
    for step in steps(for: path) {
      switch step {
      case .remove(let name): try FileFailure.check(name, "unlink") { unlink(name) }
      case .move(let from, let to):
        // Fewer than are kept may be there yet.
        guard access(from, F_OK) == 0 else { continue }
        try FileFailure.check(from, "rename") { rename(from, to) }
      }
    }
  }
}
