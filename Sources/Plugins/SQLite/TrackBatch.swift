// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// What waits to be written together: until there is enough of it, or it has waited long enough.
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

  /// When it is to be written though it is not full; `nil` for an empty one.
  var dueAt: MonotonicTime? { deadline }

  /// Whether it is to be written.
  func isDue(now: MonotonicTime) -> Bool {
    guard let deadline else { return false }
    return rows.count >= limit || now >= deadline
  }

  /// Adds a row.
  ///
  /// It waits until the last write is long enough ago, or for that long where there was none.
  mutating func add(_ row: Row, now: MonotonicTime) {
    rows.append(row)
    if deadline == nil {
      deadline = max((writtenAt ?? now).advanced(byNanoseconds: nanoseconds), now)
    }
  }

  /// Begins anew, once what it held is written.
  mutating func removeAll(now: MonotonicTime) {
    rows.removeAll(keepingCapacity: true)
    (deadline, writtenAt) = (nil, now)
  }
}
