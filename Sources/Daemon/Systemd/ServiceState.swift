// SPDX-License-Identifier: Apache-2.0

/// A state of the service that the service manager is told.
///
/// Source: sd_notify(3).
package enum ServiceState: Equatable, Hashable, Sendable {
  case ready, stopping, watchdog
  /// One line for people.
  case status(String)

  /// The assignment as it is sent.
  ///
  /// A line end in a status would start another assignment, and becomes a blank.
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
