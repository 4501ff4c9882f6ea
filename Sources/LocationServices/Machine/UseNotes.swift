// SPDX-License-Identifier: Apache-2.0

/// What a program has done, on its way to the policy: told in the order in which it was done, by one
/// thread at a time.
///
/// Whoever decides that something begins or ends does so under a lock, and tells it without: of two
/// threads the later could overtake the earlier. A policy that hears of the end before the beginning
/// counts a use that never ends, or that a grant which serves once has served.
///
/// No lock and no thread. Whoever runs it adds under the lock that it decides under, and where it is
/// told to, tells until nothing is left.
struct UseNotes: Sendable {
  /// How many wait for a policy that does not return, though it must at once.
  ///
  /// Beyond, what begins is dropped, and then its end too. The end of what the policy hears of, or has
  /// heard of, is not: it would count a use that never ends. There are no more such than beginnings.
  static let maxWaiting = 1024

  private var waiting: [ServiceUse] = []
  private var isTelling = false
  /// The beginnings that were dropped, whose ends are to be.
  private var dropped: [LocationServiceKind?: UInt64] = [:]
  /// How many were dropped.
  private(set) var droppedCount: UInt64 = 0

  init() {}

  /// Puts what was done behind what waits.
  ///
  /// - Returns: Whether the caller has to tell it; otherwise somebody does already.
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

  private mutating func begin(_ what: LocationServiceKind?, _ hasRoom: Bool) -> Bool {
    if !hasRoom { dropped[what, default: 0] += 1 }
    return hasRoom
  }

  private mutating func end(_ what: LocationServiceKind?) -> Bool {
    guard let count = dropped[what] else { return true }
    dropped[what] = count > 1 ? count - 1 : nil
    return false
  }

  private mutating func begin() -> Bool {
    guard !isTelling, !waiting.isEmpty else { return false }
    isTelling = true
    return true
  }

  /// What is to be told next; `nil` where nothing is left, and whoever has told is to go.
  mutating func next() -> ServiceUse? {
    guard !waiting.isEmpty else {
      isTelling = false
      return nil
    }
    return waiting.removeFirst()
  }
}
