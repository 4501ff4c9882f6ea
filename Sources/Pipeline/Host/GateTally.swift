// SPDX-License-Identifier: Apache-2.0

/// Counts the locations that a gate holds: those that it took and did not pass, and those that newer
/// locations replaced before the gate while it held.
///
/// A gate reports when it begins to hold and when it passes again, but not each location between.
struct GateTally: Equatable, Sendable {
  /// Locations that were held and released, or held without a report.
  private var releasedCount: UInt64 = 0
  /// Locations that were replaced before a gate that passed.
  private var passingDropCount: UInt64 = 0
  /// The last report of a gate that holds.
  private var holding: GateEvent?
  /// The count that was reported last.
  private var reportedCount = 0
  /// Since a location last passed: those that the gate took and did not pass.
  private var takenCount = 0
  /// Since a location last passed: those that were replaced before the gate.
  private var dropCount = 0

  /// Counts a location that the gate took and did not pass.
  mutating func hold() { takenCount += 1 }

  /// Counts a location that another replaced before the gate.
  mutating func drop() { dropCount += 1 }

  /// Counts a location that passed: nothing that was replaced before it was held.
  mutating func pass() {
    guard holding == nil else { return }
    releasedCount &+= UInt64(takenCount)
    passingDropCount &+= UInt64(dropCount)
    (takenCount, dropCount) = (0, 0)
  }

  /// Completes the count in a report of the gate.
  mutating func complete(_ event: GateEvent) -> GateEvent {
    let complete = completed(event)
    reportedCount = complete.heldCount
    holding = event
    if event.verdict == .passes {
      holding = nil
      releasedCount &+= UInt64(max(complete.heldCount, 0))
      (takenCount, dropCount) = (0, 0)
    }
    return complete
  }

  /// The last report of a gate that ended while it held; `nil` where its count is known already.
  var lastReport: GateEvent? {
    guard let last = holding.map(completed), last.heldCount > reportedCount else { return nil }
    return last
  }

  /// How many locations the gate has held so far.
  var heldCount: UInt64 {
    releasedCount &+ UInt64(max(holding.map { completed($0).heldCount } ?? takenCount, 0))
  }

  /// How many locations were replaced while the gate did not hold.
  var conflatedCount: UInt64 { passingDropCount &+ (holding == nil ? UInt64(dropCount) : 0) }

  private func completed(_ event: GateEvent) -> GateEvent {
    var event = event
    event.heldCount = max(event.heldCount, takenCount) + dropCount
    return event
  }
}
