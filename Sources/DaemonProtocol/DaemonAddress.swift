// SPDX-License-Identifier: Apache-2.0

/// Where the daemon is spoken to: a Unix socket, and the version of what is spoken there.
public struct DaemonAddress: Hashable, Sendable, CustomStringConvertible {
  /// The socket.
  public var socketPath: String

  /// Where the daemon listens unless it is told otherwise.
  public static let usualSocketPath = "/run/fixcast/fixcast.sock"

  /// The variable of the environment that names another socket.
  public static let variable = "FIXCAST_SOCKET"

  /// The most bytes that the path of a socket may have, unix(7).
  public static let maxPathBytes = 107

  /// Names a socket.
  public init(socketPath: String = DaemonAddress.usualSocketPath) { self.socketPath = socketPath }

  /// Takes the socket from the environment: `FIXCAST_SOCKET`, else the usual one.
  public init(environment: [String: String]) {
    let named = environment[Self.variable] ?? ""
    self.init(socketPath: named.isEmpty ? Self.usualSocketPath : named)
  }

  /// The path.
  public var description: String { socketPath }
}
