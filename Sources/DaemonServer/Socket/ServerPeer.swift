// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import NIOCore

/// The client side of a connection.
struct ServerPeer: Sendable {
  var channel: any Channel
  var process: PeerProcess
  /// The identified process; `nil` if it cannot be identified.
  ///
  /// Requests of an unidentified process are refused.
  var token: ProcessToken?
  /// Writes published events to a feed from any thread; `nil` if only the channel writes.
  var direct: DirectSocket?

  /// Whether the process that opened the connection is running; true if the process is unknown.
  ///
  /// If it has exited, an unauthorized process may have inherited the connection. Calls `runs` if
  /// the kernel provides no process descriptor.
  func isRunning(_ runs: (ProcessToken) -> Bool) -> Bool {
    guard let token else { return true }
    return process.isRunning { runs(token) }
  }

  func close() {
    direct?.close()
    channel.close(promise: nil)
  }

  /// Closes the connection and discards the bytes that the kernel has not sent yet.
  func abort() {
    direct?.close()
    let discarding = (channel as? any SocketOptionProvider)?
      .setSoLinger(linger(l_onoff: 1, l_linger: 0))
    let close: @Sendable () -> Void = { [channel] in
      // TLS would first send the bytes that it has buffered.
      channel.triggerUserOutboundEvent(AbortHandler.Abort(), promise: nil)
      channel.close(promise: nil)
    }
    guard let discarding else { return close() }
    discarding.whenComplete { _ in close() }
  }
}
