// SPDX-License-Identifier: Apache-2.0

/// Merges the sky reports of one epoch into one view.
///
/// Lists arrive in parts. Some receivers spread the parts over several epochs, and a part may get
/// lost. A list ends when its last part arrives, or when another list begins, even if parts are
/// missing. Part 1 of a list removes the satellites of the previous list of the same group.
struct SkyBuilder: Sendable {
  /// The maximum number of entries; no receiver tracks more signals.
  static let capacity = 512

  /// The number of entries dropped because the capacity was reached.
  private(set) var droppedCount: UInt64 = 0

  /// The entries of the completed lists, followed by the entries of the pending list.
  private var entries: [Satellite] = []
  /// The number of entries that belong to completed lists.
  private var completeCount = 0
  /// The marks of the completed entries; see ``mark(of:)``.
  private var marks = SatelliteSet()
  /// The completed lists that added an entry or state that they have none, in order.
  private var lists: [(group: UInt32, count: Int)] = []
  private var pendingGroup: UInt32?
  private var nextPart = 1
  /// Whether the pending list states that it has no satellites.
  private var pendingStatesNone = false
  /// The satellites used since the last view was taken.
  private var used = SatelliteSet()
  /// The satellites used by the open epoch.
  private var usedInEpoch = SatelliteSet()
  private var receivedAt: MonotonicTime?
  /// The number of lists that have ended since the last epoch began.
  private var listCount = 0
  /// The number of lists of the last earlier cycle that had any.
  private var previousListCount = 0

  /// Whether there is at least one list, and no list has missing parts.
  var isComplete: Bool { !lists.isEmpty && completeCount == entries.count }

  /// Whether the view is complete and has all lists that the receiver is known to send in a cycle.
  var hasAllLists: Bool {
    isComplete && previousListCount > 0 && listCount >= previousListCount
  }

  /// The number of different satellites that the open epoch has used so far.
  var usedCount: Int { usedInEpoch.count }

  /// Returns whether a report restarts a list that is already complete in the view.
  func isRepeated(by report: SkyReport) -> Bool {
    report.part == 1 && lists.contains { $0.group == report.group }
  }

  /// Resets ``usedCount`` and the number of lists.
  mutating func beginEpoch() {
    usedInEpoch = SatelliteSet()
    if listCount > 0 { (previousListCount, listCount) = (listCount, 0) }
  }

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
    if report.statesNone { pendingStatesNone = true }
    let added = min(report.count, Self.capacity - entries.count)
    entries.append(addingCapacity: added) { span in
      for index in 0..<added { span.append(report[index]) }
    }
    droppedCount &+= UInt64(report.count - added)
    if report.part >= report.parts { closeList() }
  }

  /// Replaces `view` with the completed sky, except for its time.
  ///
  /// Returns false if no list is complete. A view without satellites needs a list that states so,
  /// and no list whose parts are still arriving. The memory of the replaced view is reused for the
  /// next view, unless another copy of the replaced view exists. If `endsEpoch` is false, the used
  /// satellites are kept.
  mutating func take(
    into view: inout SkyView, dilution: Dilution, isSimulated: Bool, endsEpoch: Bool = true
  ) -> Bool {
    defer {
      if endsEpoch {
        used = SatelliteSet()
        usedInEpoch = SatelliteSet()
      }
      receivedAt = nil
    }
    guard completeCount > 0 || isComplete else { return false }
    for index in 0..<completeCount { entries[index].isUsed = used.contains(entries[index].id) }
    swap(&view.satellites, &entries)
    entries.removeAll(keepingCapacity: true)
    if completeCount < view.satellites.count {
      entries += view.satellites[completeCount...]
      view.satellites.removeSubrange(completeCount...)
    }
    completeCount = 0
    marks = SatelliteSet()
    lists.removeAll(keepingCapacity: true)
    view.dilution = dilution
    view.receivedAt = receivedAt
    view.isSimulated = isSimulated
    return true
  }

  private mutating func drop(_ group: UInt32) {
    var start = 0
    for list in lists {
      if list.group == group {
        entries.removeSubrange(start..<start + list.count)
      } else {
        start += list.count
      }
    }
    lists.removeAll { $0.group == group }
    completeCount = start
    marks = SatelliteSet()
    for satellite in entries[..<completeCount] { marks.insert(Self.mark(of: satellite)) }
  }

  /// Adds the pending list to the view; an entry replaces an older entry for the same signal.
  private mutating func closeList() {
    let start = completeCount
    for index in start..<entries.count {
      let mark = Self.mark(of: entries[index])
      if marks.contains(mark), let same = position(of: entries[index]) {
        entries[same] = entries[index]
      } else {
        marks.insert(mark)
        if completeCount < index { entries[completeCount] = entries[index] }
        completeCount &+= 1
      }
    }
    if completeCount < entries.count { entries.removeSubrange(completeCount...) }
    if completeCount > start || pendingStatesNone {
      lists.append((pendingGroup ?? 0, completeCount - start))
      listCount &+= 1
    }
    pendingGroup = nil
    pendingStatesNone = false
    nextPart = 1
  }

  /// Returns the index of the completed entry for the same signal.
  private func position(of satellite: Satellite) -> Int? {
    entries[..<completeCount].firstIndex {
      $0.id == satellite.id && $0.signal == satellite.signal
    }
  }

  /// Returns a hash of satellite and signal.
  ///
  /// Collisions are rare, so a search for an entry of the same signal is seldom needed.
  @inline(__always)
  private static func mark(of satellite: Satellite) -> SatelliteID {
    SatelliteID(
      system: satellite.id.system,
      number: satellite.id.number &+ (satellite.signal ?? 0) &* 67)
  }
}
