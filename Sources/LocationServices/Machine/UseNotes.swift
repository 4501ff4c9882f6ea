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
package struct UseNotes: Sendable {
  /// How many wait for a policy that does not return, though it must at once; beyond, the newest are
  /// dropped.
  static let mostWaiting = 1024

  private var waiting: [ServiceUse] = []
  private var isTelling = false
  /// How many were dropped.
  package private(set) var droppedCount: UInt64 = 0

  /// Makes one with nothing to tell.
  package init() {}

  /// Puts what was done behind what waits.
  ///
  /// - Parameter uses: What was done, in order.
  /// - Returns: Whether the caller has to tell it; otherwise somebody does already.
  package mutating func add(_ uses: [ServiceUse]) -> Bool {
    let room = max(0, Self.mostWaiting - waiting.count)
    waiting += uses.prefix(room)
    droppedCount &+= UInt64(max(0, uses.count - room))
    return begin()
  }

  /// Begins with another policy: what waits was for the one before, and is told to nobody.
  ///
  /// - Parameter uses: What goes on already.
  /// - Returns: Whether the caller has to tell it; otherwise somebody does already.
  package mutating func begin(with uses: [ServiceUse]) -> Bool {
    waiting = Array(uses.prefix(Self.mostWaiting))
    return begin()
  }

  private mutating func begin() -> Bool {
    guard !isTelling, !waiting.isEmpty else { return false }
    isTelling = true
    return true
  }

  /// What is to be told next; `nil` where nothing is left, and whoever has told is to go.
  package mutating func next() -> ServiceUse? {
    guard !waiting.isEmpty else {
      isTelling = false
      return nil
    }
    return waiting.removeFirst()
  }
}
