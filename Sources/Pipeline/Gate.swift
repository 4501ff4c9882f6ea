// SPDX-License-Identifier: Apache-2.0

public import LocationServices

/// Passes locations or holds them, and says why; never changes one.
///
/// Gates stand before the lookups. The way of a location to the sinks is not theirs.
public protocol Gate: Sendable {
  /// The name it is reported under.
  var name: String { get }

  /// Runs until the input ends or the task is cancelled.
  ///
  /// - Parameters:
  ///   - input: Locations; the newest only, where the gate is slow.
  ///   - pass: Takes each location that may go on; returns at once.
  ///   - report: Takes what there is to be told; returns at once.
  func run(
    _ input: AsyncStream<Location>, pass: @escaping @Sendable (Location) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void) async
}
