// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// Why the daemon cannot go on.
package enum DaemonFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Clients cannot be served.
  case server(String)
  /// A plugin that the configuration requires is left out.
  case requiredPlugin(name: String, reason: String)
  /// A part ended that never should.
  case part(String)

  /// The failure in a sentence, with what to do.
  package var description: String {
    switch self {
    case .server(let reason): reason
    case .requiredPlugin(let name, let reason):
      "\(name), which the configuration requires, is left out: \(reason)"
    case .part(let reason): reason
    }
  }
}
