// SPDX-License-Identifier: Apache-2.0

/// Decides whether the service manager may be told that the service is alive.
///
/// A watchdog that a timer feeds proves only that timers work. This one is fed only if each part of the
/// service has answered since the last feeding.
package struct WatchdogBeat: Equatable, Sendable {
  private let parts: Set<String>
  /// The parts that have not answered since the last feeding.
  private var silent: Set<String>

  package init(parts: Set<String>) {
    self.parts = parts
    silent = parts
  }

  /// Notes the answer of a part; unknown names are ignored.
  package mutating func heard(_ part: String) { silent.remove(part) }

  /// Ends half an interval.
  ///
  /// - Returns: The names of the parts that have not answered, sorted; if empty, feed the watchdog.
  package mutating func due() -> [String] {
    defer { if silent.isEmpty { silent = parts } }
    return silent.sorted()
  }
}
