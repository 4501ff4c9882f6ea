// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// Something that the daemon has to tell in its log.
enum DaemonNotice: Equatable, Sendable {
  /// A source failed, and is tried again after a while; repeated where it failed before for the
  /// same reason, and nothing has come of it since.
  case sourceFailed(name: String, reason: String, again: Duration, isRepeated: Bool)
  /// Fixes come of a source that had failed.
  case sourceRecovered(name: String)
  /// A source came to its end by itself, as a recording does.
  case sourceEnded(name: String)
  /// Other sources were asked for and one of them cannot be had: what ran goes on.
  case sourcesNotChanged(reason: String)
  /// The configuration was read again, and what came of it, a line each.
  case reloaded([String])
  /// The configuration was read again and is broken; what is wrong, a line each.
  case configurationBroken([String])
  /// The service manager was not told something.
  case notNotified(String)
  /// What has to be kept cannot be, and what mends it.
  case stateNotKept(String)
  /// A plugin did not end well when the daemon was to end, how many events it lost, and why, where
  /// that is known.
  case pluginNotEnded(name: String, lostCount: UInt64, reason: String?)
  /// Parts that did not answer before the watchdog was due.
  case silent([String])

  /// How bad it is.
  var level: Logger.Level {
    switch self {
    // Told once: a source may fail in the same way for weeks, every minute.
    case .sourceFailed(_, _, _, isRepeated: true): .info
    case .sourceFailed, .sourcesNotChanged, .notNotified, .pluginNotEnded: .warning
    case .sourceEnded, .sourceRecovered, .reloaded: .notice
    case .configurationBroken, .stateNotKept, .silent: .error
    }
  }

  /// The lines that are logged.
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
