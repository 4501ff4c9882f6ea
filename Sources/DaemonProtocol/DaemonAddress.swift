// SPDX-License-Identifier: Apache-2.0

/// The address of the daemon: the path of its Unix socket.
public struct DaemonAddress: Hashable, Sendable, CustomStringConvertible {
  /// The path of the socket.
  public var socketPath: String

  /// The default path of the socket.
  public static let defaultSocketPath = "/run/fixcast/fixcast.sock"

  /// The environment variable that overrides the default path.
  public static let variable = "FIXCAST_SOCKET"

  /// The maximum length of a socket's path in bytes.
  ///
  /// Source: unix(7).
  public static let maxPathBytes = 107

  /// Creates an address from a path.
  public init(socketPath: String = DaemonAddress.defaultSocketPath) { self.socketPath = socketPath }

  /// Creates an address from `FIXCAST_SOCKET`, or the default address if the variable is unset or
  /// empty.
  public init(environment: [String: String]) {
    let path = environment[Self.variable] ?? ""
    self.init(socketPath: path.isEmpty ? Self.defaultSocketPath : path)
  }

  /// The path.
  public var description: String { socketPath }
}
