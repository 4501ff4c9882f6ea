// SPDX-License-Identifier: Apache-2.0

/// A state that the service reports to the service manager.
///
/// Source: sd_notify(3).
package enum ServiceState: Equatable, Hashable, Sendable {
  case ready, stopping, watchdog
  /// A status line for users.
  case status(String)

  /// The assignment in the format of sd_notify(3).
  ///
  /// Line ends in a status become spaces, since they would start another assignment.
  package var assignment: String {
    switch self {
    case .ready: "READY=1"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    case .status(let text):
      "STATUS=" + String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }
  }
}
