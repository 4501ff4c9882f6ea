// SPDX-License-Identifier: Apache-2.0

/// Decides which events wait before a plugin and which are dropped: a value without a reader.
///
/// Events that the plugin has taken stay at the front until it has settled them, so that they can be
/// given to its successor.
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

  /// The result of ``send(_:)``.
  enum Outcome: Equatable, Sendable {
    /// The event waits.
    case waits
    /// The event waits, and another was dropped for it.
    case replaced
    /// The event was dropped.
    case dropped
    /// The event was dropped although it is an alert that must not be.
    case overflow
  }

  private(set) var policy: MailboxPolicy
  /// Events that the policy dropped.
  private(set) var droppedCount: UInt64 = 0
  /// Events that nobody was there to take, or that were taken and not dealt with.
  private(set) var lostCount: UInt64 = 0
  /// The largest ``depth`` so far.
  private(set) var highWater = 0
  /// Whether the plugin takes nothing any more.
  private(set) var isClosed = false
  /// Events at the front that the plugin has taken and not settled.
  private(set) var takenCount = 0
  private var events: [Event] = []

  init(_ policy: MailboxPolicy) { self.policy = policy }

  /// How many events wait.
  var depth: Int { events.count - takenCount }

  private var waiting: ArraySlice<Event> { events[takenCount...] }

  mutating func send(_ event: Event) -> Outcome {
    if isClosed {
      lostCount &+= 1
      return .dropped
    }
    var outcome = Outcome.waits
    if case .keepNewest = policy, let index = indexOfAlike(event) {
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
      case .neverDrop:
        guard let index = waiting.firstIndex(where: { !$0.isAlert }) else {
          droppedCount &+= 1
          return event.isAlert ? .overflow : .dropped
        }
        drop(at: index)
        outcome = .replaced
      }
    }
    events.append(event)
    highWater = max(highWater, depth)
    return outcome
  }

  /// The next event for the plugin; `nil` where none waits.
  mutating func take() -> Event? {
    guard takenCount < events.count else { return nil }
    defer { takenCount += 1 }
    return events[takenCount]
  }

  /// Removes the events that the plugin has dealt with: all that it has taken, except as many that it
  /// keeps to write them together.
  ///
  /// - Returns: How many it has dealt with.
  mutating func settle(keeping count: Int) -> Int {
    let settled = max(takenCount - max(count, 0), 0)
    // A batch is written as a whole: what the plugin passed over came last.
    events.removeSubrange(takenCount - settled..<takenCount)
    takenCount -= settled
    return settled
  }

  /// Takes back what was taken and not settled: kept for the next instance, or counted as lost.
  mutating func putBack() {
    guard policy.redelivers, !isClosed else {
      lostCount &+= UInt64(takenCount)
      events.removeFirst(takenCount)
      return takenCount = 0
    }
    takenCount = 0
    if case .dropNewest = policy, depth > policy.limit {
      // As if the newest had been sent to a full queue.
      droppedCount &+= UInt64(depth - policy.limit)
      events.removeLast(depth - policy.limit)
    }
    highWater = max(highWater, depth)
  }

  /// Removes and returns all that waits.
  mutating func takeAll() -> [Event] {
    defer { events.removeSubrange(takenCount...) }
    return Array(waiting)
  }

  /// Drops all that waits.
  mutating func dropAll() { droppedCount &+= UInt64(takeAll().count) }

  /// Changes the policy; drops what waits beyond its limit, the oldest first.
  mutating func change(_ policy: MailboxPolicy) {
    self.policy = policy
    if case .keepNewest = policy {
      var seen: Set<Key> = []
      for index in waiting.indices.reversed() where !seen.insert(Key(events[index])).inserted {
        drop(at: index)
      }
    }
    while depth > policy.limit { drop(at: takenCount) }
  }

  /// Counts all that is left as lost, and all that comes.
  mutating func close() {
    isClosed = true
    lostCount &+= UInt64(events.count)
    events = []
    takenCount = 0
  }

  mutating func reopen() { isClosed = false }

  private func indexOfAlike(_ event: Event) -> Int? {
    let key = Key(event)
    return waiting.firstIndex { Key($0) == key }
  }

  private mutating func drop(at index: Int) {
    events.remove(at: index)
    droppedCount &+= 1
  }
}
