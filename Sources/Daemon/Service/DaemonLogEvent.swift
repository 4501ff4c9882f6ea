// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// An event for the daemon's log.
enum DaemonLogEvent: Equatable, Sendable {
  /// A source ended without an error, for example a recording that was played to its end.
  case sourceEnded(name: String)
  /// The configuration was reloaded. The associated value describes the result, one line per
  /// element.
  case reloaded([String])
  /// A reload failed. The associated value contains the errors, one line per element.
  case configurationBroken([String])
  /// Files with secrets cannot be used. The associated value contains the errors, one line per element.
  case secretsUnusable([String])
  /// A message to the service manager was not delivered.
  case notificationFailed(String)
  /// State cannot be saved. The associated value contains the reason and the correction.
  case stateNotSaved(String)
  /// A plugin failed or lost events during the shutdown.
  case pluginStopFailed(name: String, lostCount: UInt64, reason: String?)
  /// Parts of the daemon did not respond to the watchdog in time.
  case unresponsive([String])

  var level: Logger.Level {
    switch self {
    case .notificationFailed, .pluginStopFailed: .warning
    case .sourceEnded, .reloaded: .notice
    case .configurationBroken, .secretsUnusable, .stateNotSaved, .unresponsive: .error
    }
  }

  var lines: [String] {
    switch self {
    case .sourceEnded(let name): ["source \(name) ended"]
    case .reloaded(let lines): lines
    case .configurationBroken(let lines), .secretsUnusable(let lines): lines
    case .notificationFailed(let reason): ["cannot notify the service manager: \(reason)"]
    case .stateNotSaved(let fault): [fault]
    case .pluginStopFailed(let name, let lostCount, let reason):
      [
        "\(name) did not shut down cleanly"
          + (lostCount > 0 ? "; \(lostCount) \(lostCount == 1 ? "event" : "events") lost" : "")
          + (reason.map { ": \($0)" } ?? "")
      ]
    case .unresponsive(let parts):
      ["withholding watchdog ping: no answer from \(parts.joined(separator: ", "))"]
    }
  }
}
