// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The receivers that a gpsd serves, each by its name, and what is remembered of those lost.
struct GPSDReceivers: Sendable {
  /// More than a gpsd takes (4 to 6).
  static let capacity = 8

  /// After a loss, for how long reports are held against it: a gpsd or a line that was stopped
  /// gives out what had piled up at once.
  static let suspicionNanoseconds: Int64 = 5_000_000_000
  /// How much later than before a report may come after a loss and still be news.
  static let latenessNanoseconds: Int64 = 2_000_000_000

  /// What is known of a lost receiver.
  private struct Lost {
    var name: String
    /// The time of its last report that had one, and when that came.
    var last: (utc: UTCTime, at: MonotonicTime)?
    var lostAt: MonotonicTime
    /// When its first report after the loss came.
    var heardAt: MonotonicTime?
  }

  private let address: String
  private let silenceNanoseconds: Int64
  private var live: [GPSDReceiver] = []
  private var lost: [Lost] = []
  /// What gpsd has said of each, in this connection.
  private var known: [(info: ReceiverInfo, isGivenUp: Bool)] = []

  init(address: String, silenceNanoseconds: Int64) {
    self.address = address
    self.silenceNanoseconds = silenceNanoseconds
  }

  /// Whether none says anything.
  var isEmpty: Bool { live.isEmpty }

  /// When ``tick(_:counters:)`` should be called if nothing comes before.
  var deadline: MonotonicTime? {
    // A lone receiver's silence is the session's.
    live.flatMap { receiver in
      [
        receiver.silenceDeadline,
        live.count > 1 ? receiver.heardAt.advanced(byNanoseconds: silenceNanoseconds) : nil,
      ].compactMap { $0 }
    }.min()
  }

  /// Takes a TPV; `nil` where it is of no use: stale, or of one receiver too many.
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
    guard let index = index(of: name, heardAt: now) else {
      counters.excessReports &+= 1
      return nil
    }
    return live[index].take(report, receivedAt: now, counters: &counters)
  }

  /// Takes a SKY, of a receiver that also says where it is.
  mutating func take(
    _ sky: GPSDSky, of device: String, at now: MonotonicTime, counters: inout GPSDCounters
  ) -> [FixSourceEvent] {
    let name = device.isEmpty ? address : device
    guard let index = live.firstIndex(where: { $0.name == name }) else { return [] }
    return live[index].take(sky, receivedAt: now)
  }

  /// Completes what is open for too long, and gives up who is silent while others are not.
  mutating func tick(_ now: MonotonicTime, counters: inout GPSDCounters) -> [FixSourceEvent] {
    var events: [FixSourceEvent] = []
    for index in live.indices {
      events += live[index].completeOnSilence(at: now, counters: &counters)
    }
    let silent = live.filter { now >= $0.heardAt.advanced(byNanoseconds: silenceNanoseconds) }
    guard silent.count < live.count else {
      // All of them: the session says so, once.
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

  /// Takes what gpsd says of a receiver; true where it is new.
  mutating func note(_ receiver: ReceiverInfo) -> Bool {
    guard let index = known.firstIndex(where: { $0.info.name == receiver.name }) else {
      if known.count >= Self.capacity { known.removeFirst() }
      known.append((receiver, isGivenUp: false))
      return true
    }
    guard known[index].info != receiver else { return false }
    known[index] = (receiver, isGivenUp: false)
    return true
  }

  /// Whether gpsd has said that it has this one, and not that it has it no more.
  func has(_ name: String) -> Bool {
    known.contains { $0.info.name == name && !$0.isGivenUp }
  }

  /// The receivers that gpsd had and that a whole list does not name any more.
  func missing(from list: [ReceiverInfo]) -> [String] {
    let names = Set(list.map(\.name))
    return known.map(\.info.name).filter { !names.contains($0) }
  }

  /// Takes a receiver for one that gpsd has no more; what it says of it next is news.
  ///
  /// One that is still listed as not open stays known, so that the list does not bring it back.
  mutating func giveUp(_ name: String, isListed: Bool) {
    guard let index = known.firstIndex(where: { $0.info.name == name }) else { return }
    guard isListed else {
      known.remove(at: index)
      return
    }
    known[index].info.isActive = false
    known[index].isGivenUp = true
  }

  /// A new connection tells everything anew.
  mutating func forgetAll() { known = [] }

  /// Gives up a receiver and what it has open; true where there was one.
  @discardableResult
  mutating func lose(_ name: String, at now: MonotonicTime) -> Bool {
    guard let index = live.firstIndex(where: { $0.name == name }) else { return false }
    let receiver = live.remove(at: index)
    if lost.count >= Self.capacity { lost.removeFirst() }
    lost.append(Lost(name: name, last: receiver.lastTime, lostAt: now, heardAt: nil))
    return true
  }

  /// Gives up all.
  mutating func loseAll(at now: MonotonicTime) {
    for name in live.map(\.name) { lose(name, at: now) }
  }

  private mutating func index(of name: String, heardAt: MonotonicTime) -> Int? {
    if let index = live.firstIndex(where: { $0.name == name }) { return index }
    guard live.count < Self.capacity else { return nil }
    live.append(GPSDReceiver(name: name, heardAt: heardAt))
    return live.count - 1
  }

  /// Whether a report may be about the time before the loss of its receiver, or long ago.
  private mutating func isStale(
    _ report: FixReport, of name: String, at now: MonotonicTime
  ) -> Bool {
    guard let index = lost.firstIndex(where: { $0.name == name }) else { return false }
    let heardAt = lost[index].heardAt ?? now
    lost[index].heardAt = heardAt
    guard now.nanoseconds &- heardAt.nanoseconds < Self.suspicionNanoseconds,
      let last = lost[index].last
    else {
      lost.remove(at: index)
      return false
    }
    guard let date = report.date, let timeOfDay = report.timeOfDay else {
      // Without a time only the news that there is no position can be believed.
      return report.coordinate != nil
    }
    // By the receiver's clock: what piled up is later than its last report, and earlier than
    // the loss or than now. What is earlier than its last report comes of another clock.
    let step = UTCTime(date: date, timeOfDay: timeOfDay).nanoseconds(since: last.utc)
    let untilLoss = lost[index].lostAt.nanoseconds &- last.at.nanoseconds
    let untilNow = now.nanoseconds &- last.at.nanoseconds
    if step >= 0, step < max(untilLoss, untilNow &- Self.latenessNanoseconds) { return true }
    lost.remove(at: index)
    return false
  }
}
