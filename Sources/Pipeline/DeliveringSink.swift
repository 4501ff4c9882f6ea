// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A sink that delivers events after ``Sink/receive(_:)`` has returned.
///
/// The host adds its own queue, and shows both in ``PluginStatus``.
public protocol DeliveringSink: Sink {
  /// The state of the delivery; must return at once.
  var delivery: SinkDelivery { get }
}

/// The state of a sink's delivery to its destination.
public struct SinkDelivery: Equatable, Sendable {
  /// The reason why nothing is delivered; `nil` while the sink delivers.
  public var waitingReason: String?
  /// The time since which the sink has been waiting or delivering; `nil` if it is unknown.
  public var since: MonotonicTime?
  /// The number of items that the sink has received but not delivered.
  public var undeliveredCount: Int
  /// The time of the oldest of these items; `nil` without items, or if the time is unknown.
  public var oldestAt: MonotonicTime?

  /// Creates a state.
  public init(
    waitingReason: String? = nil, since: MonotonicTime? = nil, undeliveredCount: Int = 0,
    oldestAt: MonotonicTime? = nil
  ) {
    self.waitingReason = waitingReason
    self.since = since
    self.undeliveredCount = undeliveredCount
    self.oldestAt = oldestAt
  }
}
