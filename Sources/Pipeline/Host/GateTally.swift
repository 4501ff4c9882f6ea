// SPDX-License-Identifier: Apache-2.0

/// How many locations a gate holds: those it has seen, and those that newer ones replaced before
/// it got to see them.
///
/// A gate tells when it begins to hold and when it lets through, and not each location between: so
/// those that it has done with and not let go on are counted here. What was dropped is always the
/// number of drops so far before the same gate, which only grows.
struct GateTally: Equatable, Sendable {
  /// Drops that happened before it began to hold, or were counted with a release.
  private var settledDrops: UInt64 = 0
  /// Drops that were counted with releases.
  private var releasedDrops: UInt64 = 0
  /// What the gate said last, while it holds.
  private var holding: GateEvent?
  private var toldCount = 0
  /// Those that it was done with, since it last let one go on.
  private var doneCount = 0

  /// Takes note of a location that it was done with and that has not passed.
  mutating func hold() { doneCount &+= 1 }

  /// Takes note of a location that has passed: what was replaced before it was not held.
  ///
  /// - Returns: How many it had held without a word.
  mutating func pass(dropped: UInt64) -> UInt64 {
    guard holding == nil else { return 0 }
    settledDrops = dropped
    defer { doneCount = 0 }
    return UInt64(max(doneCount, 0))
  }

  /// What the gate says, with the right count.
  mutating func tell(_ event: GateEvent, dropped: UInt64) -> GateEvent {
    let own = event
    let event = completed(event, dropped)
    if event.verdict == .passes {
      releasedDrops &+= dropped &- settledDrops
      settledDrops = dropped
      holding = nil
      doneCount = 0
    } else {
      holding = own
    }
    toldCount = event.heldCount
    return event
  }

  /// What remains to be told when the gate has seen its last.
  func last(dropped: UInt64) -> GateEvent? {
    guard let holding else { return nil }
    let event = completed(holding, dropped)
    return event.heldCount > toldCount ? event : nil
  }

  /// How many it holds now.
  func held(dropped: UInt64) -> UInt64 {
    UInt64(max(holding.map { completed($0, dropped).heldCount } ?? doneCount, 0))
  }

  /// How many of all drops count as held.
  func heldDrops(dropped: UInt64) -> UInt64 {
    releasedDrops &+ (holding == nil ? 0 : dropped &- settledDrops)
  }

  private func clampedDrops(_ dropped: UInt64) -> Int {
    // Less than what fits, so that a count on top of it fits as well.
    Int(min(dropped &- settledDrops, UInt64(Int32.max)))
  }

  private func completed(_ event: GateEvent, _ dropped: UInt64) -> GateEvent {
    var event = event
    event.heldCount = max(event.heldCount, doneCount) &+ clampedDrops(dropped)
    return event
  }
}
