// SPDX-License-Identifier: Apache-2.0

/// Takes a location and gives it on with what it found out.
///
/// It may take its time: while it does, newer locations replace each other in its mailbox. While it
/// waits to be started again, and where it is left out, locations go on to the next stage without
/// what it would have found.
///
/// Making one touches nothing: no file, no socket, no thread. What it needs it takes when it runs.
public protocol Stage: Sendable {
  /// The name it is reported under.
  var name: String { get }

  /// Runs until the input ends or the task is cancelled, and then returns soon.
  ///
  /// It is done with one location when it asks for the next; where that takes too long, it is
  /// cancelled and another is made in its place.
  ///
  /// - Parameters:
  ///   - input: Locations with what earlier stages found; the newest only.
  ///   - deliver: Takes each location to go on; returns at once.
  ///   - report: Takes what there is to be told; returns at once.
  /// - Throws: Best `PluginError`, where it cannot go on.
  func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void) async throws
}
