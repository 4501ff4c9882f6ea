// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Passes locations or holds them, and says why; never changes one.
///
/// Gates stand before the lookups. The way of a location to the sinks is not theirs. One that is
/// down, for a while or for good, holds: nothing goes past it.
///
/// Making one touches nothing: no file, no socket, no thread. What it needs it takes when it runs.
public protocol Gate: Sendable {
  /// The name it is reported under.
  var name: String { get }

  /// Runs until the input ends or the task is cancelled, and then returns soon.
  ///
  /// It is done with one location when it asks for the next; where that takes too long, it is
  /// cancelled and another is made in its place.
  ///
  /// - Parameters:
  ///   - input: Locations; the newest only, where the gate is slow.
  ///   - pass: Takes each location that may go on; returns at once.
  ///   - report: Takes what there is to be told; returns at once.
  /// - Throws: Best `PluginError`, where it cannot go on.
  func run(
    _ input: AsyncStream<Location>, pass: @escaping @Sendable (Location) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void) async throws
}
