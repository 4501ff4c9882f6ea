// SPDX-License-Identifier: Apache-2.0

/// Anything that yields fixes: a serial receiver, gpsd, a replay, the simulator.
///
/// This is the plug point "in". A source is one long run: it opens what it needs, delivers, and
/// ends with an error or with the end of its input. A live one never waits for whoever listens; a
/// recording played at once may.
public protocol FixSource: Sendable {
  /// Why a run can end early.
  associatedtype Failure: Error

  /// The name under which its fixes travel, such as a devnode.
  var name: String { get }

  /// Runs the source until its input ends, it fails, or the task is cancelled.
  ///
  /// - Parameter deliver: Takes each event, in order; must return at once, so whoever is slow
  ///   keeps the newest and counts the rest.
  /// - Throws: `Failure` when the input breaks. The end of a recording and a cancelled task are
  ///   not errors.
  func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Failure)
}
