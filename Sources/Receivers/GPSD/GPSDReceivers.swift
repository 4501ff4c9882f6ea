// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The receivers served by gpsd, keyed by name, and the last reports of lost receivers.
struct GPSDReceivers: Sendable {
  /// The maximum number of receivers tracked; gpsd itself supports 4 to 6.
  static let capacity = 8

  /// The period after a receiver's return during which its reports are checked for staleness.
  ///
  /// A gpsd or connection that was paused sends its backlog all at once.
  static let stalenessCheckNanoseconds: Int64 = 5_000_000_000
  /// The maximum age of a current report after a loss; an older report counts as stale.
  static let latenessNanoseconds: Int64 = 2_000_000_000

  /// The last known state of a lost receiver.
  private struct Lost {
    var name: String
    /// The UTC time and the arrival time of the last report that had a UTC time.
    var last: (utc: UTCTime, at: MonotonicTime)?
    var lostAt: MonotonicTime
    /// The arrival time of the first report after the loss.
    var returnedAt: MonotonicTime?
  }

  private let address: String
  private let silenceNanoseconds: Int64
  private var live: [GPSDReceiver] = []
  private var lost: [Lost] = []
  private var headings = GPSDHeadingMerger()
  /// The receivers that gpsd announced on this connection.
  private var announced: [(info: ReceiverInfo, isRemoved: Bool)] = []

  init(address: String, silenceNanoseconds: Int64) {
    self.address = address
    self.silenceNanoseconds = silenceNanoseconds
  }

  /// Whether no receiver is sending reports.
  var isEmpty: Bool { live.isEmpty }

  /// The time at which to call ``tick(_:counters:)`` if no report arrives earlier.
  var deadline: MonotonicTime? {
    // The session itself times out a lone receiver.
    live.flatMap { receiver in
      [
        receiver.silenceDeadline,
        live.count > 1 ? receiver.lastReportAt.advanced(byNanoseconds: silenceNanoseconds) : nil,
      ].compactMap { $0 }
    }.min()
  }

  /// Handles a TPV; returns `nil` if the TPV is stale or if there are too many receivers.
  mutating func take(
    _ report: FixReport, of device: String, at now: MonotonicTime,
    counters: inout GPSDCounters
  ) -> [FixSourceEvent]? {
    counters.positions &+= 1
    let name = device.isEmpty ? address : device
    if isStale(report, of: name, at: now) {
      counters.stalePositions &+= 1
      return nil
    }
    guard let index = index(of: name, lastReportAt: now) else {
      counters.excessReports &+= 1
      return nil
    }
    let events = live[index].take(report, receivedAt: now, counters: &counters)
    return headings.add(to: events, receivers: live.map(\.name), at: now)
  }

  /// Handles the heading of an ATT.
  mutating func take(_ heading: GPSDHeading, at now: MonotonicTime) {
    headings.take(heading, receivedAt: now)
  }

  /// Handles a SKY; ignores a SKY of a receiver that has not sent a TPV.
  mutating func take(
    _ sky: GPSDSky, of device: String, at now: MonotonicTime, counters: inout GPSDCounters
  ) -> [FixSourceEvent] {
    let name = device.isEmpty ? address : device
    guard let index = live.firstIndex(where: { $0.name == name }) else { return [] }
    return live[index].take(sky, receivedAt: now)
  }

  /// Completes overdue epochs; reports a silent receiver as lost if another receiver still reports.
  mutating func tick(_ now: MonotonicTime, counters: inout GPSDCounters) -> [FixSourceEvent] {
    var events: [FixSourceEvent] = []
    for index in live.indices {
      events += live[index].completeOnSilence(at: now, counters: &counters)
    }
    events = headings.add(to: events, receivers: live.map(\.name), at: now)
    let silent = live.filter { now >= $0.lastReportAt.advanced(byNanoseconds: silenceNanoseconds) }
    guard silent.count < live.count else {
      // All receivers are silent: the session reports a single loss.
      loseAll(at: now)
      return events
    }
    for receiver in silent {
      lose(receiver.name, at: now)
      counters.losses &+= 1
      events.append(.lost(SourceLoss(.silent, receiver: receiver.name, at: now)))
    }
    return events
  }

  /// Stores an announcement of a receiver; returns false if the announcement has not changed.
  mutating func note(_ receiver: ReceiverInfo) -> Bool {
    guard let index = announced.firstIndex(where: { $0.info.name == receiver.name }) else {
      if announced.count >= Self.capacity { announced.removeFirst() }
      announced.append((receiver, isRemoved: false))
      return true
    }
    guard announced[index].info != receiver else { return false }
    announced[index] = (receiver, isRemoved: false)
    return true
  }

  /// Whether gpsd has announced the receiver and has not reported its removal since.
  func has(_ name: String) -> Bool {
    announced.contains { $0.info.name == name && !$0.isRemoved }
  }

  /// Returns the announced receivers that are missing from a complete device list.
  func missing(from list: [ReceiverInfo]) -> [String] {
    let names = Set(list.map(\.name))
    return announced.map(\.info.name).filter { !names.contains($0) }
  }

  /// Marks the receiver as removed; its next announcement counts as a new receiver.
  ///
  /// A receiver that gpsd still lists as closed stays in `announced`; otherwise the next list would
  /// announce the receiver again.
  mutating func markRemoved(_ name: String, isListed: Bool) {
    guard let index = announced.firstIndex(where: { $0.info.name == name }) else { return }
    guard isListed else {
      announced.remove(at: index)
      return
    }
    announced[index].info.isActive = false
    announced[index].isRemoved = true
  }

  /// Clears all announcements; gpsd repeats them on a new connection.
  mutating func forgetAll() { announced = [] }

  /// Moves a live receiver to the lost receivers and drops its open epoch.
  ///
  /// Returns false if the receiver was not live.
  @discardableResult
  mutating func lose(_ name: String, at now: MonotonicTime) -> Bool {
    guard let index = live.firstIndex(where: { $0.name == name }) else { return false }
    let receiver = live.remove(at: index)
    if lost.count >= Self.capacity { lost.removeFirst() }
    lost.append(Lost(name: name, last: receiver.lastTime, lostAt: now, returnedAt: nil))
    return true
  }

  /// Moves all live receivers to the lost receivers.
  mutating func loseAll(at now: MonotonicTime) {
    for name in live.map(\.name) { lose(name, at: now) }
  }

  private mutating func index(of name: String, lastReportAt: MonotonicTime) -> Int? {
    if let index = live.firstIndex(where: { $0.name == name }) { return index }
    guard live.count < Self.capacity else { return nil }
    live.append(GPSDReceiver(name: name, lastReportAt: lastReportAt))
    return live.count - 1
  }

  /// Whether a report of a lost receiver may date from before the loss or from a backlog.
  private mutating func isStale(
    _ report: FixReport, of name: String, at now: MonotonicTime
  ) -> Bool {
    guard let index = lost.firstIndex(where: { $0.name == name }) else { return false }
    let returnedAt = lost[index].returnedAt ?? now
    lost[index].returnedAt = returnedAt
    guard now.nanoseconds &- returnedAt.nanoseconds < Self.stalenessCheckNanoseconds,
      let last = lost[index].last
    else {
      lost.remove(at: index)
      return false
    }
    guard let date = report.date, let timeOfDay = report.timeOfDay else {
      // Without a time, only a report without a position is accepted as current.
      return report.coordinate != nil
    }
    // By the receiver's clock, a report of a backlog is newer than the last report, and older than
    // the loss or than now. A report older than the last report is current: the receiver's clock
    // was set back.
    let step = UTCTime(date: date, timeOfDay: timeOfDay).nanoseconds(since: last.utc)
    let untilLoss = lost[index].lostAt.nanoseconds &- last.at.nanoseconds
    let untilNow = now.nanoseconds &- last.at.nanoseconds
    if step >= 0, step < max(untilLoss, untilNow &- Self.latenessNanoseconds) { return true }
    lost.remove(at: index)
    return false
  }
}
