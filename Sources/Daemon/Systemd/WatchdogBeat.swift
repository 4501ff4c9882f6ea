// SPDX-License-Identifier: Apache-2.0

/// Decides whether to send the next watchdog ping to the service manager.
///
/// Pings from a plain timer would only prove that timers work. A ping is therefore due only if each
/// part of the service has answered since the last ping.
package struct WatchdogBeat: Equatable, Sendable {
  private let parts: Set<String>
  /// The parts that have not answered since the last ping.
  private var silent: Set<String>

  package init(parts: Set<String>) {
    self.parts = parts
    silent = parts
  }

  /// Records the answer of a part; unknown names are ignored.
  package mutating func recordAnswer(from part: String) { silent.remove(part) }

  /// Returns the sorted names of the parts that have not answered.
  ///
  /// If empty, send the ping: a new round of answers begins.
  package mutating func due() -> [String] {
    defer { if silent.isEmpty { silent = parts } }
    return silent.sorted()
  }
}
