// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The result of an attempt to connect to the daemon's socket.
public enum DaemonPresence: Hashable, Sendable {
  /// No process listens. Programs apply the policy and open the receiver themselves.
  case absent
  /// A process listens.
  case listening
  /// This user may not open the socket. A daemon may serve other users there.
  case forbidden
  /// The attempt failed for another reason. A daemon may be running, so programs must not open the
  /// receiver themselves.
  case unknown

  /// Converts the `errno` of connect(2), 0 for success.
  init(connecting code: Int32) {
    switch code {
    // `EAGAIN`: the queue of the socket is full.
    case 0, EAGAIN: self = .listening
    case EACCES, EPERM: self = .forbidden
    case ENOENT, ENOTDIR, ECONNREFUSED: self = .absent
    // For example, `EMFILE`: the file table is full.
    default: self = .unknown
    }
  }
}
