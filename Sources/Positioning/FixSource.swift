// SPDX-License-Identifier: Apache-2.0

/// A source of fixes, such as a serial receiver, gpsd, a replay or the simulator.
///
/// Conform to this protocol to add a kind of input. A source opens its input, delivers events, and
/// ends with an error or at the end of the input. A live source never waits for its consumer. A
/// replay at full speed may wait.
public protocol FixSource: Sendable {
  /// The error that ends a run early.
  associatedtype Failure: Error

  /// The name in the source's fixes, such as a devnode.
  var name: String { get }

  /// Runs the source until its input ends or fails, or the task is cancelled.
  ///
  /// - Parameter deliver: Receives each event, in order. The closure must return at once. A slow
  ///   consumer must keep only the newest event and count the dropped events.
  /// - Throws: `Failure` if the input fails. The end of a recording and a cancelled task are not
  ///   errors.
  func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Failure)
}
