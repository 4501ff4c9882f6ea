// SPDX-License-Identifier: Apache-2.0

/// Tracks outages, so that each one is reported once.
struct OutageTracker: Equatable, Sendable {
  /// Whether the current outage has been reported.
  private(set) var isReported = false

  /// Records a lost position; returns whether the outage is to be reported.
  mutating func begin() -> Bool {
    defer { isReported = true }
    return !isReported
  }

  mutating func end() { isReported = false }
}
