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
  private var index = SatelliteIndex()
  /// The lists in ``complete``, in order; one that added no entry is left out.
  private var lists: [(group: UInt32, count: Int)] = []
  private var pending: [Satellite] = []
  private var pendingGroup: UInt32?
  private var nextPart = 1
  /// The satellites used since the last view was taken.
  private var used = SatelliteSet()
  /// The satellites used by the open epoch.
  private var usedInEpoch = SatelliteSet()
  private var receivedAt: MonotonicTime?

  /// Whether there is a list, and none of which parts are still to come.
  var isComplete: Bool { pending.isEmpty && !complete.isEmpty }

  /// The number of satellites that the open epoch has used so far, each counted once.
  var usedCount: Int { usedInEpoch.count }

  /// Whether a report begins a list again that the view holds already.
  func isRepeated(by report: SkyReport) -> Bool {
    report.part == 1 && lists.contains { $0.group == report.group }
  }

  /// Begins the count of ``usedCount`` anew.
  mutating func beginEpoch() { usedInEpoch = SatelliteSet() }

  mutating func merge(_ satellites: UsedSatellites) {
    for index in 0..<satellites.count {
      used.insert(satellites[index])
      usedInEpoch.insert(satellites[index])
    }
  }

  mutating func merge(_ report: SkyReport, receivedAt: MonotonicTime?) {
    self.receivedAt = receivedAt ?? self.receivedAt
    if report.group != pendingGroup || report.part != nextPart { closeList() }
    if isRepeated(by: report) { drop(report.group) }
    pendingGroup = report.group
    nextPart = report.part &+ 1
    for index in 0..<report.count {
      if pending.count + complete.count < Self.capacity {
        pending.append(report[index])
      } else {
        droppedCount &+= 1
      }
    }
    if report.part >= report.parts { closeList() }
  }

  /// Replaces `view` by the sky, without its time; false where no list has been completed.
  ///
  /// The memory of the replaced view is used for the next one, unless another copy of it exists.
  mutating func take(into view: inout SkyView, dilution: Dilution, isSimulated: Bool) -> Bool {
    defer {
      used = SatelliteSet()
      usedInEpoch = SatelliteSet()
      receivedAt = nil
    }
    guard !complete.isEmpty else { return false }
    for index in complete.indices { complete[index].isUsed = used.contains(complete[index].id) }
    index.removeAll(of: complete)
    lists.removeAll(keepingCapacity: true)
    swap(&view.satellites, &complete)
    complete.removeAll(keepingCapacity: true)
    view.dilution = dilution
    view.receivedAt = receivedAt
    view.isSimulated = isSimulated
    return true
  }

  private mutating func drop(_ group: UInt32) {
    index.removeAll(of: complete)
    var start = 0
    for list in lists {
      if list.group == group {
        complete.removeSubrange(start..<start + list.count)
      } else {
        start += list.count
      }
    }
    lists.removeAll { $0.group == group }
    for satellite in complete { index.append(satellite.id) }
  }

  /// Adds the pending list to the view; the newer of two entries for one signal counts.
  private mutating func closeList() {
    let start = complete.count
    for satellite in pending {
      if let same = index.position(of: satellite, in: complete) {
        complete[same] = satellite
      } else {
        complete.append(satellite)
        index.append(satellite.id)
      }
    }
    let count = complete.count - start
    if count > 0 { lists.append((pendingGroup ?? 0, count)) }
    pending.removeAll(keepingCapacity: true)
    pendingGroup = nil
    nextPart = 1
  }
}
