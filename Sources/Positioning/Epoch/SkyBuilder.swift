// SPDX-License-Identifier: Apache-2.0

/// Merges the sky reports of one epoch into one view.
///
/// Lists come in parts, some receivers spread them over several epochs, and a part may get lost.
/// A list counts from its last part on; one that a new list interrupts counts with what came. Part 1
/// of a list drops the satellites of the same list before.
struct SkyBuilder: Sendable {
  /// More than any receiver has channels and signals for.
  static let capacity = 512

  /// How many satellites did not fit.
  private(set) var droppedCount: UInt64 = 0

  private var complete: [Satellite] = []
  /// The list that each element of ``complete`` came with.
  private var groups: [UInt32] = []
  private var pending: [Satellite] = []
  private var pendingGroup: UInt32?
  private var nextPart = 1
  private var used: [SatelliteID] = []
  /// Where the open epoch's begin in ``used``.
  private var usedStart = 0
  private var receivedAt: MonotonicTime?

  /// Whether there is a list, and none of which parts are still to come.
  var isComplete: Bool { pending.isEmpty && !complete.isEmpty }

  /// The number of satellites that the open epoch has used so far, each counted once.
  var usedCount: Int {
    let epoch = used[min(usedStart, used.count)...]
    return epoch.indices.count { !epoch[..<$0].contains(epoch[$0]) }
  }

  /// Whether a report begins a list again that the view holds already.
  func isRepeated(by report: SkyReport) -> Bool {
    guard case .inView(let group, 1, _, _) = report else { return false }
    return groups.contains(group)
  }

  /// Begins the count of ``usedCount`` anew.
  mutating func beginEpoch() { usedStart = used.count }

  mutating func merge(_ report: SkyReport, receivedAt: MonotonicTime?) {
    switch report {
    case .used(let satellites):
      for satellite in satellites {
        guard used.count < Self.capacity else { break }
        used.append(satellite)
      }
    case .inView(let group, let part, let parts, let satellites):
      self.receivedAt = receivedAt ?? self.receivedAt
      if group != pendingGroup || part != nextPart { closeList() }
      if part == 1 { drop(group) }
      pendingGroup = group
      nextPart = part &+ 1
      for satellite in satellites {
        if pending.count + complete.count < Self.capacity {
          pending.append(satellite)
        } else {
          droppedCount &+= 1
        }
      }
      if part >= parts { closeList() }
    }
  }

  /// The view, without its time; `nil` where no list has been completed.
  mutating func take(dilution: Dilution, isSimulated: Bool) -> SkyView? {
    defer {
      complete.removeAll(keepingCapacity: true)
      groups.removeAll(keepingCapacity: true)
      used.removeAll(keepingCapacity: true)
      usedStart = 0
      receivedAt = nil
    }
    guard !complete.isEmpty else { return nil }
    var view = SkyView(satellites: complete, dilution: dilution)
    for index in view.satellites.indices {
      view.satellites[index].isUsed = used.contains(view.satellites[index].id)
    }
    view.receivedAt = receivedAt
    view.isSimulated = isSimulated
    return view
  }

  private mutating func drop(_ group: UInt32) {
    for index in groups.indices.reversed() where groups[index] == group {
      complete.remove(at: index)
      groups.remove(at: index)
    }
  }

  /// Adds the pending list to the view; the newer of two entries for one signal counts.
  private mutating func closeList() {
    for satellite in pending {
      let same = complete.firstIndex { $0.id == satellite.id && $0.signal == satellite.signal }
      if let same {
        complete[same] = satellite
      } else {
        complete.append(satellite)
        groups.append(pendingGroup ?? 0)
      }
    }
    pending.removeAll(keepingCapacity: true)
    pendingGroup = nil
    nextPart = 1
  }
}
