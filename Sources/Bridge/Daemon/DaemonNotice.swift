// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// An event for the daemon's log.
enum DaemonNotice: Equatable, Sendable {
  /// A source failed and is retried after `again`.
  ///
  /// `isRepeated` if it failed for the same reason before and delivered no fix since.
  case sourceFailed(name: String, reason: String, again: Duration, isRepeated: Bool)
  /// A source that had failed delivers fixes.
  case sourceRecovered(name: String)
  /// A source ended by itself, as a recording does.
  case sourceEnded(name: String)
  /// One of the new sources cannot be made, so the old ones keep running.
  case sourcesNotChanged(reason: String)
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
    // A source may fail in the same way every minute for weeks: one warning is enough.
    case .sourceFailed(_, _, _, isRepeated: true): .info
    case .sourceFailed, .sourcesNotChanged, .notNotified, .pluginNotEnded: .warning
    case .sourceEnded, .sourceRecovered, .reloaded: .notice
    case .configurationBroken, .stateNotKept, .silent: .error
    }
  }

  var lines: [String] {
    switch self {
    case .sourceFailed(let name, let reason, let again, _):
      ["source \(name) failed: \(reason); tried again in \(again.secondsText) s"]
    case .sourceRecovered(let name): ["source \(name) has recovered: fixes come again"]
    case .sourceEnded(let name): ["source \(name) has come to its end"]
    case .sourcesNotChanged(let reason): ["the sources stay as they were: \(reason)"]
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

extension Duration {
  /// The duration in seconds with one decimal.
  var secondsText: String {
    let tenths = (self / .milliseconds(100)).rounded()
    return "\(Int64(tenths) / 10).\(abs(Int64(tenths)) % 10)"
  }
}
