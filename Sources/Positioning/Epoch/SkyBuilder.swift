// SPDX-License-Identifier: Apache-2.0

/// Merges the sky reports of one epoch into one view.
///
/// Lists come in parts, some receivers spread them over several epochs, and a part may get lost.
/// A list counts from its last part on; one that a new list interrupts counts with what came.
struct SkyBuilder: Sendable {
  /// More than any receiver has channels and signals for.
  static let capacity = 512

  /// How many satellites did not fit.
  private(set) var droppedCount: UInt64 = 0

  private var complete: [Satellite] = []
  private var pending: [Satellite] = []
  private var pendingGroup: UInt32?
  private var nextPart = 1
  private var used: [SatelliteID] = []
  private var receivedAt: MonotonicTime?

  /// Whether there is a list, and none of which parts are still to come.
  var isComplete: Bool { pending.isEmpty && !complete.isEmpty }

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
      used.removeAll(keepingCapacity: true)
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

  /// Adds the pending list to the view; the newer of two entries for one signal counts.
  private mutating func closeList() {
    for satellite in pending {
      let same = complete.firstIndex { $0.id == satellite.id && $0.signal == satellite.signal }
      if let same { complete[same] = satellite } else { complete.append(satellite) }
    }
    pending.removeAll(keepingCapacity: true)
    pendingGroup = nil
    nextPart = 1
  }
}
