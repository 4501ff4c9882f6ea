// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A queue of events for a consumer that is called without a lock, one event at a time.
///
/// A thread that adds an event also delivers the event, unless another thread is already
/// delivering. In this case, the other thread delivers the new event, too. The order is preserved.
/// Events are queued only while the consumer is busy.
struct DeliveryQueue: Sendable {
  static let limit = 256

  /// The number of events dropped because the queue was full.
  private(set) var droppedCount: UInt64 = 0
  private var events: [SourceGroup.Event] = []
  private var isDelivering = false

  /// Adds an event.
  ///
  /// If the queue is full, drops the oldest fix, sky view or reading; if none, the oldest event of a
  /// source.
  mutating func append(_ event: SourceGroup.Event) {
    if events.count >= Self.limit {
      droppedCount &+= 1
      let index =
        events.firstIndex(where: \.isReplaceable) ?? events.firstIndex(where: \.isOfSource)
      events.remove(at: index ?? 0)
    }
    events.append(event)
  }

  /// Drops the events and the count of an earlier run.
  mutating func removeAll() { (events, droppedCount) = ([], 0) }

  /// Returns the events to deliver now, or `nil` if there are none or another thread is delivering.
  mutating func begin() -> [SourceGroup.Event]? {
    guard !isDelivering else { return nil }
    return next()
  }

  /// Returns the events added during the delivery, or `nil` if there are none.
  ///
  /// `nil` ends the delivery by this thread; another thread may begin the next delivery.
  mutating func next() -> [SourceGroup.Event]? {
    isDelivering = !events.isEmpty
    guard isDelivering else { return nil }
    defer { events = [] }
    return events
  }
}

extension SourceGroup.Event {
  fileprivate var isOfSource: Bool { if case .source = self { true } else { false } }

  /// Whether a later event of the same kind makes this event obsolete.
  fileprivate var isReplaceable: Bool {
    switch self {
    case .source(.fix), .source(.sky), .source(.instruments), .source(.sentences): true
    case .started, .source, .ended: false
    }
  }
}
