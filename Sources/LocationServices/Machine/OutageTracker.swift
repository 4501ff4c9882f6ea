// SPDX-License-Identifier: Apache-2.0

/// Whether there is a position, so that each outage is told of once.
struct OutageTracker: Equatable, Sendable {
  /// Whether the present outage has been told of.
  private(set) var isTold = false

  /// Whether this is news.
  mutating func lose() -> Bool {
    defer { isTold = true }
    return !isTold
  }

  mutating func find() { isTold = false }
}
