// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The identity and size of a file that is kept open, to notice what other programs do to it.
///
/// Writing to a file that was moved or removed succeeds, but its path does not lead to the data. A
/// file that was truncated may end within a record. Call ``change()`` before each batch of writes.
package struct HeldFile: Equatable, Sendable {
  /// What another program did to the file.
  package enum Change: Equatable, Sendable {
    /// The path leads to no file.
    case removed
    /// The path leads to another file.
    case replaced
    /// The file is smaller than before.
    case truncated
    /// The file became read-only. The open file can still be written.
    case madeReadOnly
  }

  package let path: String
  /// The size in bytes that the file has at least, unless it was truncated.
  package var size: Int64
  private let device: dev_t
  private let inode: ino_t
  private var isWritable: Bool

  /// Creates an instance for an open file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - status: The status of the open file.
  package init(_ path: String, _ status: stat) {
    self.path = path
    size = Int64(status.st_size)
    (device, inode) = (status.st_dev, status.st_ino)
    isWritable = Self.isWritable(status)
  }

  /// Creates an instance for the file at a path; `nil` if there is none.
  package init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(path, status)
  }

  /// Returns what another program did to the file since it was opened; `nil` for nothing.
  ///
  /// Returns ``Change/madeReadOnly`` only once.
  package mutating func change() -> Change? {
    var status = stat()
    // After another error, such as EACCES, the path may still lead to the file.
    guard stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .removed : nil
    }
    guard status.st_dev == device, status.st_ino == inode else { return .replaced }
    guard status.st_size >= size else { return .truncated }
    size = Int64(status.st_size)
    let wasWritable = isWritable
    isWritable = Self.isWritable(status)
    return wasWritable && !isWritable ? .madeReadOnly : nil
  }

  private static func isWritable(_ status: stat) -> Bool {
    status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH) != 0
  }
}

extension HeldFile.Change {
  /// Whether the path leads to another file or to no file.
  package var isMove: Bool { self == .removed || self == .replaced }

  /// Returns the message for the log, with the consequence.
  package func message(for path: String) -> String {
    switch self {
    case .removed: "\(path) was moved or removed by another program; writing to a new file"
    case .replaced: "\(path) was replaced by another program; writing to the new file"
    case .truncated: "\(path) was truncated by another program; writing new data to it"
    case .madeReadOnly:
      "\(path) was made read-only; writing continues until the file is opened again; fix it with: "
        + "sudo chmod u+w '\(path)'"
    }
  }
}
