// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol

/// The key of a board's sequence numbers.
struct ProgressKey: Hashable, Sendable {
  var board: FleetBoardID
  var epoch: FleetEpoch
}

/// The committed sequence numbers of one epoch of a board.
///
/// A broker that is killed may lose a batch after its PUBACK. The board sends the batch again after
/// ten minutes, unless it was acknowledged. A batch is therefore acknowledged only if all fixes
/// before it are committed.
struct BoardProgress: Equatable, Sendable {
  /// The sequence number up to which all fixes are committed; 0 for none.
  var committed: Int64 = 0
  /// The highest sequence number in the table; 0 for none.
  var highest: Int64 = 0

  /// Notes a batch.
  ///
  /// - Parameters:
  ///   - first: The first sequence number.
  ///   - last: The last sequence number.
  ///   - previous: The sequence number before `first` in the outbox of the board; 0 if `first` is
  ///     the oldest fix there.
  mutating func note(first: Int64, last: Int64, previous: Int64) {
    highest = max(highest, last)
    if previous <= committed { committed = max(committed, last) }
  }
}
