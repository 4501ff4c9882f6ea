// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Positioning

/// The acknowledgements to send, at most one in an interval for each epoch of a board.
struct AckSchedule: Sendable {
  struct Target: Hashable, Sendable {
    var shard: FleetShard
    var key: ProgressKey
  }

  static let intervalSeconds = 10.0

  private var pending: [Target: Int64] = [:]
  private var lastSent: [Target: MonotonicTime] = [:]

  /// Notes that all fixes up to a sequence number are committed, or that a board sent them again.
  mutating func note(_ target: Target, committed: Int64) {
    guard committed > 0 else { return }
    pending[target] = max(pending[target] ?? 0, committed)
  }

  /// Returns the acknowledgements that are due, and removes them.
  mutating func due(at now: MonotonicTime) -> [(target: Target, sequence: Int64)] {
    lastSent = lastSent.filter { now.seconds(since: $0.value) < Self.intervalSeconds }
    let due = pending.filter { lastSent[$0.key] == nil }
    for target in due.keys {
      pending[target] = nil
      lastSent[target] = now
    }
    return due.map { ($0.key, $0.value) }
  }
}
