// SPDX-License-Identifier: Apache-2.0

import Positioning

/// One of the receivers that a gpsd serves: its TPVs become epochs here, apart from all others'.
struct GPSDReceiver: Sendable {
  let name: String
  /// When its last TPV came.
  private(set) var heardAt: MonotonicTime
  /// The time of its last TPV that had one, and when that came.
  private(set) var lastTime: (utc: UTCTime, at: MonotonicTime)?

  private var assembler: EpochAssembler
  private var sky = GPSDSkyMerger()

  /// gpsd takes the old day for the epoch at midnight where the date comes last in a cycle.
  private static let latestMidnightNanoseconds: Int64 = 60_000_000_000
  private static let dayNanoseconds: Int64 = 86_400_000_000_000

  init(name: String, heardAt: MonotonicTime) {
    self.name = name
    self.heardAt = heardAt
    // A gpsd before 3.24 takes 2014 for 2034, and passes on other lost weeks as they are.
    assembler = EpochAssembler(completion: .live, trustedDate: WeekRollover.buildDate)
  }

  /// When ``completeOnSilence(at:counters:)`` should be called if nothing arrives before.
  var silenceDeadline: MonotonicTime? {
    [assembler.silenceDeadline, sky.silenceDeadline].compactMap { $0 }.min()
  }

  /// Takes a TPV.
  mutating func take(
    _ report: FixReport, receivedAt: MonotonicTime, counters: inout GPSDCounters
  ) -> [FixSourceEvent] {
    heardAt = receivedAt
    var report = report
    var events: [FixSourceEvent] = []
    let time = put(&report, inOrderAt: receivedAt, counters: &counters)
    let late = assembler.lateReports
    // The fix before the sky: it is what is waited for.
    if assembler.ingest(report, receivedAt: receivedAt) {
      deliverFixes(to: &events, counters: &counters)
    }
    counters.lateReports &+= assembler.lateReports &- late
    if let time {
      let view = sky.beginEpoch(
        Self.corrected(time), after: lastTime.map { Self.corrected($0.utc) })
      if let view { events.append(event(view)) }
      lastTime = (time, receivedAt)
    }
    return events
  }

  /// Takes a SKY.
  mutating func take(_ report: GPSDSky, receivedAt: MonotonicTime) -> [FixSourceEvent] {
    var report = report
    report.time = report.time.map(Self.corrected)
    return sky.ingest(report, receivedAt: receivedAt).map { [event($0)] } ?? []
  }

  /// A time with its week put right as the assembler does it with a fix's: by its time a sky finds
  /// its fix.
  private static func corrected(_ time: UTCTime) -> UTCTime {
    let date = WeekRollover.corrected(time.date, near: WeekRollover.buildDate)
    return UTCTime(date: date, timeOfDay: time.timeOfDay)
  }

  /// Completes what has been open for too long.
  mutating func completeOnSilence(
    at now: MonotonicTime, counters: inout GPSDCounters
  ) -> [FixSourceEvent] {
    var events: [FixSourceEvent] = []
    if assembler.completeOnSilence(at: now) {
      deliverFixes(to: &events, counters: &counters)
    }
    if let view = sky.completeOnSilence(at: now) { events.append(event(view)) }
    return events
  }

  /// Puts right the day of a report that gpsd dates a day back; its time.
  private func put(
    _ report: inout FixReport, inOrderAt now: MonotonicTime, counters: inout GPSDCounters
  ) -> UTCTime? {
    guard let timeOfDay = report.timeOfDay, let date = report.date else { return nil }
    let time = UTCTime(date: date, timeOfDay: timeOfDay)
    guard let last = lastTime?.utc, time < last else { return time }
    let step = time.nanoseconds(since: last) &+ Self.dayNanoseconds
    if (0...Self.latestMidnightNanoseconds).contains(step) {
      let corrected = date.adding(days: 1)
      report.date = corrected
      return UTCTime(date: corrected, timeOfDay: timeOfDay)
    }
    // A clock put right: taken as it is, and told.
    counters.backwardSteps &+= 1
    return time
  }

  private func deliverFixes(
    to events: inout [FixSourceEvent], counters: inout GPSDCounters
  ) {
    for index in 0..<assembler.output.fixCount {
      var fix = assembler.output.fixes[index]
      counters.epochs &+= 1
      if fix.mode > .none { counters.fixes &+= 1 }
      fix.source = name
      complete(&fix)
      events.append(.fix(fix))
    }
  }

  /// Adds what a SKY of the very same time says.
  private func complete(_ fix: inout Fix) {
    guard fix.mode > .none, let time = fix.time, let sky = sky.open, sky.time == time else {
      return
    }
    fix.dilution = sky.dilution
    guard let satellites = sky.satellites else { return }
    fix.satellitesUsed = Set(satellites.lazy.filter(\.isUsed).map(\.id)).count
  }

  private func event(_ view: SkyView) -> FixSourceEvent {
    var view = view
    view.source = name
    return .sky(view)
  }
}
