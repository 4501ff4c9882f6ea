// SPDX-License-Identifier: Apache-2.0

/// Bounded queue of callbacks for a delegate.
///
/// On overflow the oldest location is dropped and counted. A change of authorization is never
/// dropped to make room for a location, and is not queued if the last queued callback is equal.
/// Answers to requests are dropped only if the queue holds nothing else.
struct CallbackQueue: Sendable {
  /// The queued callbacks, starting at ``head``; the slots before ``head`` are empty.
  private var storage: [LocationCallback?] = []
  private var head = 0
  private(set) var droppedLocations: UInt64 = 0
  /// The number of dropped errors, visits, region events, authorizations and answers.
  private(set) var droppedOthers: UInt64 = 0
  let limit: Int

  init(limit: Int = 64) { self.limit = max(limit, 4) }

  var count: Int { storage.count - head }

  /// Queues a callback; returns the callback that was dropped on overflow, if any.
  @discardableResult
  mutating func append(_ callback: LocationCallback) -> LocationCallback? {
    if callback.isAuthorization, count > 0, storage.last == callback { return nil }
    storage.append(callback)
    return count > limit ? dropOldest() : nil
  }

  /// Drops the oldest location; if there is none, the oldest callback other than authorizations.
  private mutating func dropOldest() -> LocationCallback? {
    let waiting = storage[head...]
    if let oldest = waiting.firstIndex(where: { $0?.isSupersededByNext == true }) {
      droppedLocations &+= 1
      return storage.remove(at: oldest)
    }
    // Then the oldest authorization is dropped, because later authorizations supersede it.
    // Answers are dropped last, because a caller waits for each.
    let oldest =
      waiting.firstIndex { $0?.isDroppable == true && $0?.isAuthorization == false }
      ?? waiting.firstIndex { $0?.isDroppable == true } ?? waiting.startIndex
    droppedOthers &+= 1
    return storage.remove(at: oldest)
  }

  mutating func dropLocations() { drop { $0.isSupersededByNext } }

  /// Drops all callbacks that reveal a position.
  mutating func dropPositionData() { drop { $0.containsLocation } }

  /// Drops all callbacks for the previous delegate; answers to requests are kept.
  mutating func dropForNewDelegate() { drop { $0.isDroppable } }

  private mutating func drop(where isDropped: (LocationCallback) -> Bool) {
    storage.removeSubrange(..<head)
    head = 0
    storage.removeAll { $0.map(isDropped) ?? true }
  }

  mutating func next() -> LocationCallback? {
    guard head < storage.count else { return nil }
    let callback = storage[head]
    // Release the callback now, and the empty slots when they are more than half of all slots.
    storage[head] = nil
    head += 1
    if head * 2 > storage.count {
      storage.removeSubrange(..<head)
      head = 0
    }
    return callback
  }
}
