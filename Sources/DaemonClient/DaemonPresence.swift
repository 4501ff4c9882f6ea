// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The result of an attempt to connect to the daemon's socket.
public enum DaemonPresence: Hashable, Sendable {
  /// No process is listening. Programs apply the policy and open the receiver themselves.
  case absent
  /// A process is listening.
  case listening
  /// This user may not open the socket. A daemon may be serving other users on this socket.
  case forbidden
  /// The attempt failed for another reason. A daemon may be running, so programs must not open the
  /// receiver directly.
  case unknown

  /// Converts the `errno` of connect(2); 0 means success.
  init(connecting code: Int32) {
    switch code {
    // `EAGAIN`: the queue of the socket is full.
    case 0, EAGAIN: self = .listening
    case EACCES, EPERM: self = .forbidden
    case ENOENT, ENOTDIR, ECONNREFUSED: self = .absent
    // For example `EMFILE`: this process has too many open files.
    default: self = .unknown
    }
  }
}
