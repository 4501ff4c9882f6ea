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
  let limit: Int

  init(limit: Int = 64) { self.limit = max(limit, 4) }

  var count: Int { storage.count - head }

  mutating func append(_ callback: LocationCallback) {
    if !callback.carriesLocation, count > 0, storage.last == callback { return }
    storage.append(callback)
    guard count > limit else { return }
    if let oldest = storage[head...].firstIndex(where: { $0?.carriesLocation == true }) {
      storage.remove(at: oldest)
      droppedLocations &+= 1
    } else {
      // Statuses and errors alone fill the queue: the delegate has been stuck for that many
      // changes, and the oldest of them is the one that says least.
      _ = next()
    }
  }

  mutating func dropLocations() {
    storage.removeSubrange(..<head)
    head = 0
    storage.removeAll { $0?.carriesLocation == true }
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
