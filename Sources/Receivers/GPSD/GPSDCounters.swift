// SPDX-License-Identifier: Apache-2.0

/// Event counts of a gpsd source.
public struct GPSDCounters: Equatable, Sendable {
  /// Connections on which gpsd sent its greeting.
  public var connections: UInt64 = 0
  /// Lines read.
  public var lines: UInt64 = 0
  /// Malformed lines, ERROR replies, and greetings with an unsupported protocol version.
  public var protocolErrors: UInt64 = 0
  /// TPV reports: usually one per epoch, several in the first seconds.
  public var positions: UInt64 = 0
  /// Epochs completed.
  public var epochs: UInt64 = 0
  /// Epochs that carried a position.
  public var fixes: UInt64 = 0
  /// TPVs dropped because they describe, or may describe, the time before a loss.
  public var stalePositions: UInt64 = 0
  /// Epochs older than the previous epoch: the clock was set back, or reports are out of order.
  public var backwardSteps: UInt64 = 0
  /// TPVs that arrived after their epoch was complete.
  public var lateReports: UInt64 = 0
  /// Reports dropped because gpsd serves more receivers than this program tracks.
  public var excessReports: UInt64 = 0
  /// Losses reported.
  public var losses: UInt64 = 0

  /// Makes counters at zero.
  public init() {}
}
