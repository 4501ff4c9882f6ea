// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Events on their way to a consumer that is called without a lock, one event at a time.
///
/// The thread that adds an event delivers it, unless another thread is delivering: that one then
/// delivers it too. The order is kept, and the queue is empty unless the consumer is slow.
struct DeliveryQueue: Sendable {
  static let limit = 256

  /// Events that were dropped because the queue was full.
  private(set) var droppedCount: UInt64 = 0
  private var events: [FixSourceEvent] = []
  private var isDelivering = false

  /// Adds an event; drops the oldest one that a newer one replaces, in a full queue.
  mutating func append(_ event: FixSourceEvent) {
    if events.count >= Self.limit {
      droppedCount &+= 1
      events.remove(at: events.firstIndex(where: \.isReplaceable) ?? 0)
    }
    events.append(event)
  }

  /// The events to deliver now; `nil` where there are none, or another thread delivers them.
  mutating func begin() -> [FixSourceEvent]? {
    guard !isDelivering else { return nil }
    return next()
  }

  /// The events that were added meanwhile; `nil` ends the delivery.
  mutating func next() -> [FixSourceEvent]? {
    isDelivering = !events.isEmpty
    guard isDelivering else { return nil }
    defer { events = [] }
    return events
  }
}

extension FixSourceEvent {
  /// Whether a later event of the same kind makes this one obsolete.
  fileprivate var isReplaceable: Bool {
    switch self {
    case .fix, .sky, .instruments: true
    case .lost, .connected, .receiver: false
    }
  }
}
