// SPDX-License-Identifier: Apache-2.0

/// Counts of a consumer since its start.
struct FleetCounters: Equatable, Sendable {
  var messages: UInt64 = 0
  var batches: UInt64 = 0
  var fixes: UInt64 = 0
  var insertedRows: UInt64 = 0
  var repeatedFixes: UInt64 = 0
  var estimatedTimes: UInt64 = 0
  var refusedSimulatedFixes: UInt64 = 0
  /// Messages that cannot be decoded, or whose content contradicts their topic.
  var undecodable: UInt64 = 0
  /// Messages beyond the limit of their board.
  var refusedMessages: UInt64 = 0
  /// Messages that the database rejects.
  var rejected: UInt64 = 0
  /// Batches after a gap, which are not acknowledged until the missing fixes arrive.
  var batchesAfterGap: UInt64 = 0
  var transactions: UInt64 = 0
  var acks: UInt64 = 0
  var weatherRequests: UInt64 = 0
  var weatherFailures: UInt64 = 0
  var weatherMessages: UInt64 = 0
}
