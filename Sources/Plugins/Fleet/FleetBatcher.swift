// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Positioning

/// Collects fixes for batches, and holds batches that cannot be stored, for example on a full disk.
struct FleetBatcher: Equatable, Sendable {
  /// Fixes of one batch without sequence numbers.
  struct Draft: Equatable, Sendable {
    var fixes: [FleetFix]
    /// Whether the fixes are from a simulator or a recording.
    let isSimulated: Bool
  }

  /// The maximum number of fixes that are held; beyond it, the oldest draft is thinned out.
  static let maxHeld = FleetBatch.maxCount

  /// The number of fixes of a complete batch.
  private let maxFixes: Int
  /// The complete batches, the oldest first.
  private(set) var complete: [Draft] = []
  /// The batch to which fixes are added.
  private(set) var open: Draft?
  /// The number of fixes that were removed to make room.
  private(set) var droppedCount: Int64 = 0

  init(maxFixes: Int) { self.maxFixes = maxFixes }

  mutating func add(_ fix: FleetFix, isSimulated: Bool) {
    if let open, open.isSimulated != isSimulated { close() }
    open = Draft(fixes: (open?.fixes ?? []) + [fix], isSimulated: isSimulated)
    if let open, open.fixes.count >= maxFixes { close() }
  }

  /// Completes the open batch.
  mutating func close() {
    guard let open else { return }
    complete.append(open)
    self.open = nil
    while complete.reduce(0, { $0 + $1.fixes.count }) > Self.maxHeld { thin() }
  }

  /// Removes the oldest complete batch after it was stored.
  mutating func removeFirst() { complete.removeFirst() }

  /// Removes every second fix of the oldest batch that has more than one, or else the oldest batch.
  private mutating func thin() {
    let index = complete.firstIndex { $0.fixes.count > 1 } ?? 0
    let fixes = complete[index].fixes
    guard fixes.count > 1 else {
      complete.removeFirst()
      droppedCount += 1
      return
    }
    complete[index].fixes = stride(from: 0, to: fixes.count, by: 2).map { fixes[$0] }
    droppedCount += Int64(fixes.count / 2)
  }
}
