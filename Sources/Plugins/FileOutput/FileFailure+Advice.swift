// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
internal import SystemSupport

extension FileFailure {
  /// Whether the failure may disappear without a change of the configuration: the disk has space
  /// again, a drive is plugged in, or the permissions change.
  var isTransient: Bool {
    switch number {
    case EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG: false
    case EINVAL: call != "open"
    default: true
    }
  }

  /// The failure with advice for the user.
  var message: String {
    if call == FileGroup.lookupCall {
      return "\(path): there is no such group on this machine; correct the key group"
    }
    // For a lock, the text for the error number would misleadingly describe a timeout.
    return call == FileLock.call
      ? "\(path): in use by another sink or another fixcast" : "\(self); \(advice)"
  }

  private var folder: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  private var advice: String {
    switch number {
    case ENOSPC, EDQUOT: "writing resumes when there is free space"
    case ENOENT: "create its folder, or use another file"
    case ENOTDIR: "part of its path is a file; use another path"
    case EISDIR: "this is a folder; use a file in it"
    case EEXIST:
      "files of another program have the names of the rotated copies; move them, or use another file"
    case EPERM where call == "chown":
      "add the service to the group (SupplementaryGroups=), or use a folder of the group with the "
        + "setgid bit"
    case EACCES, EPERM:
      "allow the user that fixcast runs as to write there (see: ls -ld), or use another file"
    case EROFS:
      "remount its disk (see: findmnt -T \(folder)), or if only the service may not write there, "
        + "add the folder to ReadWritePaths="
    case ELOOP: "the path is a symbolic link, or its links form a loop; use the file itself"
    case EINVAL where call == "open": "not a regular file; use another"
    default: "check the disk, or use another file"
    }
  }
}

extension PluginError {
  /// Creates an error for the plugin that writes the file.
  init(_ failure: FileFailure) {
    self.init(failure.isTransient ? .transient() : .configuration, "", why: failure.message)
  }
}
