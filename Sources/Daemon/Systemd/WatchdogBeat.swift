// SPDX-License-Identifier: Apache-2.0

/// Decides whether to send the next watchdog ping to the service manager.
///
/// Pings from a plain timer would only prove that timers work. A ping is therefore due only if each
/// part of the service has responded since the last ping.
package struct WatchdogBeat: Equatable, Sendable {
  private let parts: Set<String>
  /// The parts that have not responded since the last ping.
  private var silent: Set<String>

  package init(parts: Set<String>) {
    self.parts = parts
    silent = parts
  }

  /// Records that a part has responded; unknown names are ignored.
  package mutating func recordAnswer(from part: String) { silent.remove(part) }

  /// Returns the sorted names of the parts that have not responded since the last ping.
  ///
  /// If the result is empty, the caller must send a ping. All parts must then respond again.
  package mutating func unresponsivePartsAtPing() -> [String] {
    defer { if silent.isEmpty { silent = parts } }
    return silent.sorted()
  }
}
