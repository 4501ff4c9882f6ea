// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Rows that are written together: when there are enough rows, or when the first row has waited
/// long enough.
struct TrackBatch<Row> {
  private let limit: Int
  private let nanoseconds: Int64
  private(set) var rows: [Row] = []
  private var deadline: MonotonicTime?
  private var writtenAt: MonotonicTime?

  init(limit: Int, seconds: Double) {
    self.limit = max(limit, 1)
    nanoseconds = Int64(min(max(seconds, 0), 1e9) * 1e9)
  }

  /// The time at which the batch is due even if it is not full; `nil` if the batch is empty.
  var dueAt: MonotonicTime? { deadline }

  /// Whether the batch is due for writing.
  func isDue(now: MonotonicTime) -> Bool {
    guard let deadline else { return false }
    return rows.count >= limit || now >= deadline
  }

  /// Adds a row.
  ///
  /// The first row sets the deadline: one batch interval after the last write, or after `now` if
  /// nothing has been written yet.
  mutating func add(_ row: Row, now: MonotonicTime) {
    rows.append(row)
    if deadline == nil {
      deadline = max((writtenAt ?? now).advanced(byNanoseconds: nanoseconds), now)
    }
  }

  /// Empties the batch after it was written.
  mutating func removeAll(now: MonotonicTime) {
    rows.removeAll(keepingCapacity: true)
    (deadline, writtenAt) = (nil, now)
  }
}
