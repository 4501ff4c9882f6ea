// SPDX-License-Identifier: Apache-2.0

/// Callbacks that wait for a delegate, in order and bounded.
///
/// Locations beyond the limit push out the oldest location, which is counted. A change of
/// authorization is never dropped for one; one that waits behind an equal one is not queued again.
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

  mutating func append(_ callback: LocationCallback) {
    if callback.isAuthorization, count > 0, storage.last == callback { return }
    storage.append(callback)
    if count > limit { dropOldest() }
  }

  /// A location first, which the next one outdates; then whatever is not an authorization.
  private mutating func dropOldest() {
    let waiting = storage[head...]
    if let oldest = waiting.firstIndex(where: { $0?.carriesLocation == true }) {
      storage.remove(at: oldest)
      droppedLocations &+= 1
    } else if let oldest = waiting.firstIndex(where: {
      $0?.isDroppable == true && $0?.isAuthorization == false
    }) ?? waiting.firstIndex(where: { $0?.isDroppable == true }) {
      // Where statuses alone fill the queue, the delegate has been stuck for that many changes,
      // and the oldest of them is the one that says least.
      storage.remove(at: oldest)
      droppedOthers &+= 1
    }
  }

  mutating func dropLocations() { drop { $0.carriesLocation } }

  /// Drops whatever tells where the board is.
  mutating func dropKnowledge() { drop { $0.tellsWhere } }

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
