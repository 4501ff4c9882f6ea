// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// `struct ucred` of unix(7): the peer's process and user at the time of the connection.
struct PeerCredentials: Equatable, Sendable {
  var process: Int32 = 0
  var userID: UInt32 = .max
  var groupID: UInt32 = .max

  /// Reads the credentials from the kernel; `nil` if the kernel provides no credentials, for
  /// example for another kind of socket.
  init?(socket: Int32) {
    var size = socklen_t(MemoryLayout<PeerCredentials>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &self, &size) == 0,
      size == MemoryLayout<PeerCredentials>.size, process > 0, userID != .max
    else { return nil }
  }
}
