// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Functions for the folder in which a program keeps its state.
package enum StateFolder {
  /// Creates a folder and its parents, if they do not exist.
  package static func make(_ path: String) throws(FileFailure) {
    var status = stat()
    guard stat(path, &status) != 0 else { return }
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made.isEmpty && part.isEmpty ? "/" : (made.isEmpty || made == "/" ? "" : "/") + part
      guard !part.isEmpty, mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
      let number = errno
      // For an existing folder, mkdir may fail with an error other than EEXIST, such as EROFS.
      if stat(made, &status) != 0 { throw FileFailure(path: made, call: "mkdir", number: number) }
    }
  }

  /// Changes the owner of a new file to the owner of its folder, if the program runs as root.
  ///
  /// The service must be able to read a file that root creates. A file with several hard links is
  /// rejected: the owner of the folder could have linked another user's file to become its owner.
  package static func adopt(_ descriptor: Int32, path: String) throws(FileFailure) {
    var (file, folder) = (stat(), stat())
    let parent = Self.parent(of: path)
    try FileFailure.check(parent, "stat") { stat(parent, &folder) }
    try FileFailure.check(path, "fstat") { fstat(descriptor, &file) }
    guard geteuid() == 0, file.st_uid != folder.st_uid else { return }
    guard file.st_mode & S_IFMT == S_IFREG, file.st_nlink == 1 else {
      throw FileFailure(path: path, call: "fchown", number: EMLINK)
    }
    try FileFailure.check(path, "fchown") { fchown(descriptor, folder.st_uid, folder.st_gid) }
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
