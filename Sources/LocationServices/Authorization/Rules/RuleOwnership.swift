// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import SystemSupport

/// Checks that only root and this program's user can write a rule file or its folder.
///
/// sudo and sshd also refuse files that others can write. The file, its folder and the folders of
/// symbolic links are checked. The parents of these folders are not checked, because `FIXCAST_ROOT`
/// and tests use folders below /tmp.
enum RuleOwnership {
  /// Returns why a file or folder is not trusted and which command fixes it; `nil` if it is
  /// trusted.
  ///
  /// A sticky bit makes no difference: it prevents others from deleting files, not from adding
  /// them.
  static func fault(of status: stat, path: String, userID: UInt32 = geteuid()) -> String? {
    if status.st_uid != 0, status.st_uid != userID {
      return "is owned by uid \(status.st_uid) and therefore not trusted; "
        + "fix it with: chown root \(path)"
    }
    let isOpenToGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != 0
    guard isOpenToGroup || status.st_mode & S_IWOTH != 0 else { return nil }
    return "is writable by others and therefore not trusted; fix it with: chmod go-w \(path)"
  }

  /// Checks a folder; also returns `nil` for an inaccessible folder, whose read error is reported.
  static func fault(ofFolder path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return fault(of: status, path: path)
  }

  /// The folders that a chain of links leads through; empty if the path is not a link.
  static func folders(behind path: String) -> [String] {
    var (folders, path) = ([String](), path)
    // Linux follows at most 40 links.
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      path = target.hasPrefix("/") ? target : StateFolder.parent(of: path) + "/" + target
      folders.append(StateFolder.parent(of: path))
    }
    return folders
  }
}
