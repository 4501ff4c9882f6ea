// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A receiver served by gpsd: assembles its TPV and SKY reports into fixes and sky views.
struct GPSDReceiver: Sendable {
  let name: String
  /// The arrival time of the last TPV.
  private(set) var lastReportAt: MonotonicTime
  /// The UTC time and the arrival time of the last TPV that had a UTC time.
  private(set) var lastTime: (utc: UTCTime, at: MonotonicTime)?

  private var assembler: EpochAssembler
  private var sky = GPSDSkyMerger()

  /// The latest time after midnight at which gpsd may still report the previous date.
  ///
  /// gpsd reports the previous date if the receiver sends the date in the last sentence of a cycle.
  private static let latestMidnightNanoseconds: Int64 = 60_000_000_000
  private static let dayNanoseconds: Int64 = 86_400_000_000_000

  init(name: String, lastReportAt: MonotonicTime) {
    self.name = name
    self.lastReportAt = lastReportAt
    // gpsd does not correct every GPS week rollover; before 3.24, gpsd changed 2014 to 2034.
    assembler = EpochAssembler(completion: .live, trustedDate: WeekRollover.buildDate)
  }

  /// The time at which to call ``completeOnSilence(at:counters:)`` if no report arrives earlier.
  var silenceDeadline: MonotonicTime? {
    [assembler.silenceDeadline, sky.silenceDeadline].compactMap { $0 }.min()
  }

  /// Handles a TPV.
  mutating func take(
    _ report: FixReport, receivedAt: MonotonicTime, counters: inout GPSDCounters
  ) -> [FixSourceEvent] {
    lastReportAt = receivedAt
    var report = report
    var events: [FixSourceEvent] = []
    let time = correctDate(of: &report, receivedAt: receivedAt, counters: &counters)
    let lateBefore = assembler.lateReports
    // The fix is delivered before the sky view, because clients wait for the fix.
    if assembler.ingest(report, receivedAt: receivedAt) {
      deliverFixes(to: &events, counters: &counters)
    }
    counters.lateReports &+= assembler.lateReports &- lateBefore
    if let time {
      let view = sky.beginEpoch(
        Self.corrected(time), after: lastTime.map { Self.corrected($0.utc) })
      if let view { events.append(event(view)) }
      lastTime = (time, receivedAt)
    }
    return events
  }

  /// Handles a SKY.
  mutating func take(_ report: GPSDSky, receivedAt: MonotonicTime) -> [FixSourceEvent] {
    var report = report
    report.time = report.time.map(Self.corrected)
    return sky.ingest(report, receivedAt: receivedAt).map { [event($0)] } ?? []
  }

  /// Corrects the GPS week of a time, as the assembler does for fixes.
  ///
  /// A SKY is matched to its fix by time, so both times need the same correction.
  private static func corrected(_ time: UTCTime) -> UTCTime {
    let date = WeekRollover.corrected(time.date, near: WeekRollover.buildDate)
    return UTCTime(date: date, timeOfDay: time.timeOfDay)
  }

  /// Completes the open fix and sky view if their silence deadlines have passed.
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

  /// Returns the UTC time of a report, after correcting a date that is one day early.
  ///
  /// Returns `nil` if the report has no date or no time.
  private func correctDate(
    of report: inout FixReport, receivedAt: MonotonicTime, counters: inout GPSDCounters
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
    // The receiver's clock was set back: keep the time and count the step.
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

  /// Adds the dilutions and satellite count of the SKY that has the time of the fix.
  private func complete(_ fix: inout Fix) {
    guard fix.mode > .none, let time = fix.time, let sky = sky.openSky, sky.time == time else {
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
