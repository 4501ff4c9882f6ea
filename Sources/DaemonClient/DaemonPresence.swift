// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a moment's look at the daemon's socket finds.
public enum DaemonPresence: Hashable, Sendable {
  /// Nobody listens: each program decides for itself.
  case absent
  /// Somebody listens.
  case listening
  /// This user may not open it: whoever may is served there, and this program is not.
  case forbidden
  /// It cannot be told: nobody may act in the place of a daemon that may well be there.
  case unknown

  /// Reads the number of the error that connecting gave, 0 for none.
  init(connecting code: Int32) {
    switch code {
    // Its queue may be full.
    case 0, EAGAIN: self = .listening
    case EACCES, EPERM: self = .forbidden
    case ENOENT, ENOTDIR, ECONNREFUSED: self = .absent
    // Such as a table of files that is full.
    default: self = .unknown
    }
  }
}
