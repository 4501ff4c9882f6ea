// SPDX-License-Identifier: Apache-2.0

/// Queue of service uses for the policy, delivered in order by one thread at a time.
///
/// The owner adds the start or end of a use under a lock, but delivers uses without it. Without
/// the queue, one thread could overtake another. If an end reached the policy before its start, the
/// policy would count a use that never ends, or consume a one-time grant by mistake.
///
/// The queue has no lock or thread. The owner calls ``add(_:)`` under its lock. If ``add(_:)``
/// returns true, the owner delivers the results of ``next()`` until that returns `nil`.
struct ServiceUseQueue: Sendable {
  /// The maximum queue length, reached only if the policy blocks, which it must not.
  ///
  /// On overflow, new starts are dropped, and later their ends, too. The end of a start that was
  /// not dropped is always queued; otherwise the policy would count a use that never ends. There
  /// are no more such ends than starts.
  static let maxWaiting = 1024

  private var waiting: [ServiceUse] = []
  private var isDelivering = false
  /// The number of dropped starts per service, whose ends are dropped, too; the key of activities
  /// is `nil`.
  private var dropped: [LocationServiceKind?: UInt64] = [:]
  private(set) var droppedCount: UInt64 = 0

  init() {}

  /// Queues service uses.
  ///
  /// - Returns: Whether the caller has to deliver them; false while another thread delivers.
  mutating func add(_ uses: [ServiceUse]) -> Bool {
    for use in uses {
      if keeps(use) { waiting.append(use) } else { droppedCount &+= 1 }
    }
    return begin()
  }

  private mutating func keeps(_ use: ServiceUse) -> Bool {
    let hasRoom = waiting.count < Self.maxWaiting
    switch use {
    case .started(let service): return begin(service, hasRoom)
    case .activityBegan: return begin(nil, hasRoom)
    case .stopped(let service, _): return end(service)
    case .activityEnded: return end(nil)
    case .firstLocation(let service): return hasRoom && dropped[service] == nil
    }
  }

  private mutating func begin(_ service: LocationServiceKind?, _ hasRoom: Bool) -> Bool {
    if !hasRoom { dropped[service, default: 0] += 1 }
    return hasRoom
  }

  private mutating func end(_ service: LocationServiceKind?) -> Bool {
    guard let count = dropped[service] else { return true }
    dropped[service] = count > 1 ? count - 1 : nil
    return false
  }

  private mutating func begin() -> Bool {
    guard !isDelivering, !waiting.isEmpty else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next use to deliver; `nil` if the queue is empty and the delivery ends.
  mutating func next() -> ServiceUse? {
    guard !waiting.isEmpty else {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }
}
