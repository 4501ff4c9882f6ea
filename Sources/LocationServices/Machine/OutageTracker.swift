// SPDX-License-Identifier: Apache-2.0

/// Tracks outages, so that each one is reported once.
struct OutageTracker: Equatable, Sendable {
  /// Whether the current outage has been reported.
  private(set) var isTold = false

  /// Records a lost position; returns whether the outage is to be reported.
  mutating func lose() -> Bool {
    defer { isTold = true }
    return !isTold
  }

  mutating func find() { isTold = false }
}
