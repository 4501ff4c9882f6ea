// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The events that are waiting for a plugin, and the policy that decides which events are dropped.
///
/// Events that the plugin has taken stay at the front until the plugin settles them, so that the
/// plugin's next instance can receive them again. The queue has no lock: ``Mailbox`` adds one.
struct MailboxQueue: Sendable {
  typealias Event = any PipelineEvent

  private struct Key: Hashable {
    let kind: ObjectIdentifier
    let subject: String?

    init(_ event: Event) {
      kind = ObjectIdentifier(type(of: event))
      subject = event.subject
    }
  }

  private(set) var policy: MailboxPolicy
  /// Events dropped by the policy.
  private(set) var droppedCount: UInt64 = 0
  /// Events that were queued when the plugin ended, arrived later, or were taken but not completed.
  private(set) var lostCount: UInt64 = 0
  /// The largest ``depth`` so far.
  private(set) var highWater = 0
  /// Whether the plugin has ended and takes no more events.
  private(set) var isClosed = false
  /// The number of events at the front that the plugin has taken but not settled.
  private(set) var takenCount = 0
  private var events: [(event: Event, sentAt: MonotonicTime)] = []

  init(_ policy: MailboxPolicy) { self.policy = policy }

  /// The number of waiting events, excluding the events that the plugin has taken.
  var depth: Int { events.count - takenCount }

  /// The time of the oldest event that the plugin has not completed; `nil` without such an event.
  var oldestAt: MonotonicTime? { events.first?.sentAt }

  private var waiting: ArraySlice<(event: Event, sentAt: MonotonicTime)> { events[takenCount...] }

  mutating func send(_ event: Event, at now: MonotonicTime) -> Outcome {
    if isClosed {
      lostCount &+= 1
      return .dropped
    }
    var outcome = Outcome.queued
    if case .keepNewest = policy, let index = indexOfSameKey(event) {
      drop(at: index)
      outcome = .replaced
    } else if depth >= policy.limit {
      switch policy {
      case .keepNewest, .dropOldest:
        drop(at: takenCount)
        outcome = .replaced
      case .dropNewest:
        droppedCount &+= 1
        return .dropped
      case .keepAlerts:
        guard let index = waiting.firstIndex(where: { !$0.event.isAlert }) else {
          droppedCount &+= 1
          return event.isAlert ? .overflow : .dropped
        }
        drop(at: index)
        outcome = .replaced
      }
    }
    events.append((event, now))
    highWater = max(highWater, depth)
    return outcome
  }

  /// Returns the next event for the plugin, or `nil` if no event is waiting.
  mutating func take() -> Event? {
    guard takenCount < events.count else { return nil }
    defer { takenCount += 1 }
    return events[takenCount].event
  }

  /// Removes the events that the plugin has taken, except the first `count` events, which are the
  /// plugin's unwritten batch.
  ///
  /// - Returns: The number of removed events.
  mutating func settle(keeping count: Int) -> Int {
    let settled = max(takenCount - max(count, 0), 0)
    // Remove the newest events. A batch begins with its oldest event, so the events to keep are
    // at the front.
    events.removeSubrange(takenCount - settled..<takenCount)
    takenCount -= settled
    return settled
  }

  /// Returns unsettled events to the queue for the next instance, or counts them as lost.
  mutating func putBack() {
    guard policy.redelivers, !isClosed else {
      lostCount &+= UInt64(takenCount)
      events.removeFirst(takenCount)
      return takenCount = 0
    }
    takenCount = 0
    if case .dropNewest = policy, depth > policy.limit {
      // Drop the newest events, as if these events had been sent to a full queue.
      droppedCount &+= UInt64(depth - policy.limit)
      events.removeLast(depth - policy.limit)
    }
    highWater = max(highWater, depth)
  }

  /// Removes and returns all waiting events.
  mutating func takeAll() -> [Event] {
    defer { events.removeSubrange(takenCount...) }
    return waiting.map(\.event)
  }

  /// Drops all waiting events.
  mutating func dropAll() { droppedCount &+= UInt64(takeAll().count) }

  /// Changes the policy, and drops the oldest waiting events that the new policy does not allow.
  mutating func change(_ policy: MailboxPolicy) {
    self.policy = policy
    if case .keepNewest = policy {
      var seen: Set<Key> = []
      for index in waiting.indices.reversed() where !seen.insert(Key(events[index].event)).inserted
      {
        drop(at: index)
      }
    }
    while depth > policy.limit { drop(at: takenCount) }
  }

  /// Closes the queue: the remaining events and all later events are counted as lost.
  mutating func close() {
    isClosed = true
    lostCount &+= UInt64(events.count)
    events = []
    takenCount = 0
  }

  mutating func reopen() { isClosed = false }

  private func indexOfSameKey(_ event: Event) -> Int? {
    let key = Key(event)
    return waiting.firstIndex { Key($0.event) == key }
  }

  private mutating func drop(at index: Int) {
    events.remove(at: index)
    droppedCount &+= 1
  }
}
