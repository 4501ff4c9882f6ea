// SPDX-License-Identifier: Apache-2.0

/// Callbacks that wait for a delegate, in order and bounded.
///
/// Locations beyond the limit push out the oldest location, which is counted. A change of
/// authorization is never dropped for one; one that waits behind an equal one is not queued again.
/// An answer that somebody waits for is dropped only where answers alone fill the queue.
struct CallbackQueue: Sendable {
  /// What waits, from ``head`` on; what is before it has been taken.
  private var storage: [LocationCallback?] = []
  private var head = 0
  private(set) var droppedLocations: UInt64 = 0
  /// Errors, visits, regions and authorizations that a stuck delegate never heard of.
  private(set) var droppedOthers: UInt64 = 0
  let limit: Int

  init(limit: Int = 64) { self.limit = max(limit, 4) }

  var count: Int { storage.count - head }

  /// Takes a callback.
  @discardableResult
  mutating func append(_ callback: LocationCallback) -> LocationCallback? {
    if callback.isAuthorization, count > 0, storage.last == callback { return nil }
    storage.append(callback)
    return count > limit ? dropOldest() : nil
  }

  /// A location first, which the next one outdates; then whatever is not an authorization.
  private mutating func dropOldest() -> LocationCallback? {
    let waiting = storage[head...]
    if let oldest = waiting.firstIndex(where: { $0?.carriesLocation == true }) {
      droppedLocations &+= 1
      return storage.remove(at: oldest)
    }
    // Where statuses alone fill the queue, the delegate has been stuck for that many changes, and
    // the oldest of them is the one that says least. Answers go last: somebody waits for each.
    let oldest =
      waiting.firstIndex { $0?.isDroppable == true && $0?.isAuthorization == false }
      ?? waiting.firstIndex { $0?.isDroppable == true } ?? waiting.startIndex
    droppedOthers &+= 1
    return storage.remove(at: oldest)
  }

  mutating func dropLocations() { drop { $0.carriesLocation } }

  /// Drops whatever tells where the board is.
  mutating func dropKnowledge() { drop { $0.containsLocation } }

  /// Drops all but answers that somebody waits for: a new delegate begins anew.
  mutating func dropForNewDelegate() { drop { $0.isDroppable } }

  private mutating func drop(where isDropped: (LocationCallback) -> Bool) {
    storage.removeSubrange(..<head)
    head = 0
    storage.removeAll { $0.map(isDropped) ?? true }
  }

  mutating func next() -> LocationCallback? {
    guard head < storage.count else { return nil }
    let callback = storage[head]
    // Its memory is given back now, its slot when half of the slots are empty.
    storage[head] = nil
    head += 1
    if head * 2 > storage.count {
      storage.removeSubrange(..<head)
      head = 0
    }
    return callback
  }
}
