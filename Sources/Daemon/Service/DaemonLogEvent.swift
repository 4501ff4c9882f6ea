// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// An event for the daemon's log.
enum DaemonLogEvent: Equatable, Sendable {
  /// A source ended by itself, as a recording does.
  case sourceEnded(name: String)
  /// The configuration was reloaded; the result in lines.
  case reloaded([String])
  /// A reload failed; the errors in lines.
  case configurationBroken([String])
  /// A message to the service manager was not delivered.
  case notNotified(String)
  /// State cannot be saved; the reason and the correction.
  case stateNotKept(String)
  /// A plugin failed or lost events while the daemon stopped.
  case pluginNotEnded(name: String, lostCount: UInt64, reason: String?)
  /// Parts of the daemon that did not answer in time for the watchdog.
  case silent([String])

  var level: Logger.Level {
    switch self {
    case .notNotified, .pluginNotEnded: .warning
    case .sourceEnded, .reloaded: .notice
    case .configurationBroken, .stateNotKept, .silent: .error
    }
  }

  var lines: [String] {
    switch self {
    case .sourceEnded(let name): ["source \(name) has come to its end"]
    case .reloaded(let lines): lines
    case .configurationBroken(let lines): lines
    case .notNotified(let reason): ["the service manager was not told: \(reason)"]
    case .stateNotKept(let fault): [fault]
    case .pluginNotEnded(let name, let lostCount, let reason):
      [
        "\(name) did not end well"
          + (lostCount > 0 ? ", and lost \(lostCount) \(lostCount == 1 ? "event" : "events")" : "")
          + (reason.map { ": \($0)" } ?? "")
      ]
    case .silent(let parts):
      ["no answer from \(parts.joined(separator: ", ")): the watchdog is not fed"]
    }
  }
}
