// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices

/// The process that opened a connection, which is served no longer than it runs.
///
/// The kernel's descriptor of the process (`SO_PEERPIDFD`, since Linux 6.5) tells that without a
/// number that another process may have by now. Older kernels leave /proc.
final class PeerProcess: Sendable {
  /// `SO_PEERPIDFD`; older headers do not have it.
  private static let option: Int32 = 77

  /// Below zero for a process that has ended; `nil` where the kernel has none to give.
  let descriptor: Int32?

  /// Asks the kernel for the process at the other end of a socket.
  init(socket: Int32) {
    var held: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    let code = getsockopt(socket, SOL_SOCKET, Self.option, &held, &size)
    let isUnsupported = code != 0 && (errno == ENOPROTOOPT || errno == EOPNOTSUPP)
    descriptor = code == 0 ? held : isUnsupported ? nil : -1
  }

  /// A process without a descriptor, as on older kernels.
  init() { descriptor = nil }

  deinit { if let descriptor, descriptor >= 0 { close(descriptor) } }

  /// Whether the process still runs.
  func isRunning(orElse runs: () -> Bool) -> Bool {
    descriptor.map(ProcessEvidence.lives) ?? runs()
  }
}
