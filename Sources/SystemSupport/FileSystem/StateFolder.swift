// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The folder that a program keeps its state in.
package enum StateFolder {
  /// Makes a folder, and those it lies in, where they are not there.
  package static func make(_ path: String) throws(FileFailure) {
    var status = stat()
    guard stat(path, &status) != 0 else { return }
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made.isEmpty && part.isEmpty ? "/" : (made.isEmpty || made == "/" ? "" : "/") + part
      guard !part.isEmpty, mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
      let number = errno
      // What is there already may refuse for another reason, such as a disk that only reads.
      if stat(made, &status) != 0 { throw FileFailure(path: made, call: "mkdir", number: number) }
    }
  }

  /// Gives a new file to whom the folder belongs: root writes it, the service has to read it.
  ///
  /// The folder's owner may have laid another's file there under a second name, to be given it:
  /// a file that has several is given to nobody.
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
