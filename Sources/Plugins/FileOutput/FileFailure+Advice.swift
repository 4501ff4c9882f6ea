// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
internal import SystemSupport

extension FileFailure {
  /// Whether it may go away without a change of the configuration: a disk has room again, a stick
  /// is plugged in, somebody changes the rights.
  var isTransient: Bool {
    switch number {
    case EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG: false
    case EINVAL: call != "open"
    default: true
    }
  }

  /// The failure, and what whoever reads it can do.
  var sentence: String {
    // The words for its number are those for a thing that has no time.
    call == FileLock.call
      ? "\(path): another sink still writes it, or another fixcast" : "\(self); \(advice)"
  }

  private var advice: String {
    switch number {
    case ENOSPC, EDQUOT: "writing goes on by itself when there is room again"
    case ENOENT: "make its folder, or name another file"
    case ENOTDIR: "a part of its path is a file; name another"
    case EISDIR: "it is a folder; name a file in it"
    case EEXIST: "what is not fixcast's has its names; move that away, or name another file"
    case EACCES, EPERM:
      "let the user that fixcast runs as write there (see `ls -ld`), or name another file"
    case EROFS:
      "it lies where the service may not write: name a file in its state directory, or add the "
        + "folder to ReadWritePaths="
    case ELOOP: "symbolic links lead in a circle, or to it; name the file itself"
    case EINVAL where call == "open": "it is no regular file; name another"
    default: "see what is wrong with the disk, or name another file"
    }
  }
}

extension PluginError {
  /// What a failure of a file means for the plugin that writes it.
  init(_ failure: FileFailure) {
    self.init(failure.isTransient ? .transient() : .configuration, "", why: failure.sentence)
  }
}
