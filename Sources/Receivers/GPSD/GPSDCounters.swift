// SPDX-License-Identifier: Apache-2.0

/// What a gpsd source has seen.
public struct GPSDCounters: Equatable, Sendable {
  /// Connections that gpsd has answered.
  public var connections: UInt64 = 0
  /// Lines read.
  public var lines: UInt64 = 0
  /// Lines that gpsd would not write, errors it replied, and protocols it should not speak.
  public var protocolErrors: UInt64 = 0
  /// TPVs: usually one an epoch, several in the first seconds.
  public var positions: UInt64 = 0
  /// Epochs completed.
  public var epochs: UInt64 = 0
  /// Epochs that carried a position.
  public var fixes: UInt64 = 0
  /// TPVs left out because they were about the time before a loss, or may have been.
  public var stalePositions: UInt64 = 0
  /// Epochs before the one that came last: a clock put back, or reports out of order.
  public var backwardSteps: UInt64 = 0
  /// TPVs that came after their epoch was complete.
  public var lateReports: UInt64 = 0
  /// Reports left out because gpsd serves more receivers than are kept apart here.
  public var excessReports: UInt64 = 0
  /// Losses announced.
  public var losses: UInt64 = 0

  /// Makes counters at zero.
  public init() {}
}
