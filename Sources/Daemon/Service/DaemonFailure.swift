// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// A fatal error of the daemon.
package enum DaemonFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server cannot listen on its socket.
  case server(String)
  /// A plugin that the configuration requires has failed permanently.
  case requiredPlugin(name: String, reason: String)
  /// A service of the daemon ended unexpectedly.
  case service(String)

  package var description: String {
    switch self {
    case .server(let reason): reason
    case .requiredPlugin(let name, let reason):
      "required plugin \(name) failed: \(reason)"
    case .service(let reason): reason
    }
  }
}
