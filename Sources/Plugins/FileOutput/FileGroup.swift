// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import SystemSupport

/// The group whose members may read the files of a sink.
///
/// Without a group, only the owner may read a file, since it contains positions.
package struct FileGroup: Equatable, Sendable {
  static let key = SettingKey.text(
    "group", summary: "group whose members may read the files; by default, only the owner"
  ).optional.example(.string("pi"))

  /// The call of a failure that names an unknown group.
  static let lookupCall = "getgrnam"
  static let readableByGroup = mode_t(0o640)

  /// The name of the group.
  package let name: String

  package init(_ name: String) { self.name = name }

  /// Gives an open file to the group, and makes it readable by the group.
  ///
  /// The mode is set explicitly, because the umask of the service removes it.
  ///
  /// - Throws: `FileFailure` if there is no such group, or if this process is not a member.
  func apply(to descriptor: Int32, path: String) throws(FileFailure) {
    try apply(
      path, stat: { fstat(descriptor, &$0) }, chown: { fchown(descriptor, uid_t.max, $0) },
      chmod: { fchmod(descriptor, Self.readableByGroup) })
  }

  /// Gives the file at a path to the group; ignores a missing file.
  ///
  /// For databases, which must not be opened here: closing them would release SQLite's locks.
  ///
  /// - Throws: As `apply(to:path:)`.
  func apply(toFileAt path: String) throws(FileFailure) {
    guard access(path, F_OK) == 0 else { return }
    try apply(
      path, stat: { lstat(path, &$0) }, chown: { lchown(path, uid_t.max, $0) },
      chmod: { chmod(path, Self.readableByGroup) })
  }

  private func apply(
    _ path: String, stat: (inout stat) -> Int32, chown: (gid_t) -> Int32, chmod: () -> Int32
  ) throws(FileFailure) {
    guard let group = identifier else {
      throw FileFailure(path: path, call: Self.lookupCall, number: ENOENT)
    }
    var status = Glibc.stat()
    try FileFailure.check(path, "stat") { stat(&status) }
    if status.st_gid != group { try FileFailure.check(path, "chown") { chown(group) } }
    if status.st_mode & 0o777 != Self.readableByGroup {
      try FileFailure.check(path, "chmod") { chmod() }
    }
  }

  private var identifier: gid_t? {
    var entry = group()
    var result: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &result) == 0, result != nil else {
      return nil
    }
    return entry.gr_gid
  }
}
