// SPDX-License-Identifier: Apache-2.0

/// How many locations a gate holds: those it has seen, and those that newer ones replaced before
/// it got to see them.
///
/// What was dropped is always the number of drops so far, which only grows.
struct GateTally: Equatable, Sendable {
  /// Drops that happened before it began to hold, or were counted with a release.
  private var settledDrops: UInt64 = 0
  /// Drops that were counted with releases.
  private var releasedDrops: UInt64 = 0
  /// What the gate said last, while it holds.
  private var holding: GateEvent?
  private var toldCount = 0

  /// Takes note of a location that has passed: what was replaced before it was not held.
  mutating func pass(dropped: UInt64) {
    if holding == nil { settledDrops = dropped }
  }

  /// What the gate says, with the right count.
  mutating func tell(_ event: GateEvent, dropped: UInt64) -> GateEvent {
    let event = completed(event, dropped)
    if event.verdict == .passes {
      releasedDrops &+= dropped &- settledDrops
      settledDrops = dropped
      holding = nil
    } else {
      var own = event
      own.heldCount -= clampedDrops(dropped)
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
    holding.map { UInt64(max(completed($0, dropped).heldCount, 0)) } ?? 0
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
    event.heldCount &+= clampedDrops(dropped)
    return event
  }
}
