// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import SystemSupport

/// Checks that nobody but root and this program's user can write a rule file or its folder.
///
/// Sudo and sshd refuse such files too. The file, its folder and those of a chain of links are checked,
/// not the folders above them: `FIXCAST_ROOT` and tests lie below folders such as /tmp.
enum RuleOwnership {
  /// Why a file or folder does not count, and what to run; `nil` where it does.
  ///
  /// A sticky bit changes nothing: it stops deleting others' files, not adding new ones.
  static func fault(of status: stat, path: String, userID: UInt32 = geteuid()) -> String? {
    if status.st_uid != 0, status.st_uid != userID {
      return "belongs to uid \(status.st_uid), so its rules do not count. Run: chown root \(path)"
    }
    let isOpenToGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != 0
    guard isOpenToGroup || status.st_mode & S_IWOTH != 0 else { return nil }
    return "others may write it, so its rules do not count. Run: chmod go-w \(path)"
  }

  /// The same of a folder; `nil` also where it cannot be looked at, which reading it reports.
  static func fault(ofFolder path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return fault(of: status, path: path)
  }

  /// The folders that a chain of links leads through; empty if the path is not a link.
  static func folders(behind path: String) -> [String] {
    var (folders, path) = ([String](), path)
    // As many links as Linux follows.
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
