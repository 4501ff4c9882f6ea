// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices

/// The process that opened a connection.
///
/// The connection is served only while this process is running.
///
/// The process is identified by a descriptor (`SO_PEERPIDFD`, since Linux 6.5), because the process
/// number may be reused by another process. On older kernels, callers check /proc instead.
final class PeerProcess: Sendable {
  /// `SO_PEERPIDFD`, which older headers do not define.
  private static let option: Int32 = 77

  /// The process descriptor; negative if the process has exited, `nil` if the kernel does not
  /// support process descriptors for sockets.
  let descriptor: Int32?

  /// Gets the descriptor of the peer process of a socket.
  init(socket: Int32) {
    var peerDescriptor: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    let code = getsockopt(socket, SOL_SOCKET, Self.option, &peerDescriptor, &size)
    let isUnsupported = code != 0 && (errno == ENOPROTOOPT || errno == EOPNOTSUPP)
    descriptor = code == 0 ? peerDescriptor : isUnsupported ? nil : -1
  }

  /// Creates a process without a descriptor, as on older kernels.
  init() { descriptor = nil }

  deinit { if let descriptor, descriptor >= 0 { close(descriptor) } }

  /// Whether the process is still running.
  ///
  /// Calls `runs` if there is no descriptor.
  func isRunning(orElse runs: () -> Bool) -> Bool {
    descriptor.map(ProcessEvidence.isRunning(descriptor:)) ?? runs()
  }
}
