// SPDX-License-Identifier: Apache-2.0

/// Assembles the reports of one receiver into epochs: one fix and one sky each.
///
/// Reports belong together when their UTC times differ by rounding at most, whatever talker they come
/// from; those without a time belong to the epoch that is open. An epoch ends where a report with
/// another time comes. Live, that would cost a whole cycle of waiting, so there the assembler learns which
/// report ends the cycle (`CycleLearner`) and completes the epoch with it, and where that fails,
/// on silence.
///
/// What has no time and comes first in its cycle (GSA before RMC, on some receivers) counts to the
/// coming epoch once the end of the cycle is learnt. In a recording it does so where the report is
/// marked (``FixReport/precedesTime``); otherwise it counts to the epoch before, as in gpsd.
///
/// A plain value: no clock, no thread. Every source feeds one of these.
public struct EpochAssembler: Sendable {
  /// When an epoch is complete.
  public enum Completion: Sendable {
    /// As early as can be known.
    case live
    /// Where the next begins, so that nothing is ever late.
    case recorded
  }

  /// After how much silence an epoch counts as complete: more than one sentence takes at 4800
  /// baud, less than a second.
  public static let silenceNanoseconds: Int64 = 250_000_000

  /// The same while the learnt end of the cycle is still to come: a pause amid a burst is none.
  public static let patientSilenceNanoseconds: Int64 = 1_000_000_000

  /// Reports of an epoch that was complete, or of a time before the last epoch.
  public private(set) var lateReports: UInt64 = 0
  /// Epochs that repeated the time of the one before: a receiver whose clock stands still.
  public private(set) var repeatedEpochs: UInt64 = 0
  /// The fixes and the sky that the last step has completed.
  ///
  /// A caller may complete its fixes before it delivers them. The next step empties it.
  public var output = Output()
  /// How often the learnt end of the cycle turned out to be wrong.
  public var contradictions: Int { learner.contradictions }

  private let completion: Completion
  private let trustedDate: UTCDate?

  /// The epoch that is open, kept in place: it is large, and every report touches it.
  private var builder = FixBuilder()
  private var isOpen = false
  private var lastActivity: MonotonicTime?
  private var skyBuilder = SkyBuilder()
  private var dates = DateKeeper()
  private var isDatedByPosition = false
  private var learner = CycleLearner()
  private var closed = ClosedEpoch()
  private var hasClosed = false
  /// The time of a clock's statement since the last epoch began, for one without a time of its own.
  private var clock: UTCTimeOfDay?
  /// The time that the last report with one carried.
  private var cycleTime: UTCTimeOfDay?
  private var skyTime: UTCTime?
  private var skyDilution = Dilution()
  private var isSimulated = false

  /// Whether reports without a time are held until the next timed one shows where they belong.
  private let holdsGaps: Bool
  private var gap = EpochGap()

  private var openKinds = ReportKinds()

  /// Makes an assembler at the start of a stream.
  ///
  /// - Parameters:
  ///   - completion: When an epoch is complete.
  ///   - trustedDate: A date by which a lost week count is put right; `nil` leaves dates as they
  ///     are, which is right for recordings.
  ///   - holdsGaps: Whether reports with ``FixReport/precedesTime`` may come, which holds reports
  ///     without a time until the next timed one. For recordings: it delays a live epoch.
  public init(completion: Completion, trustedDate: UTCDate? = nil, holdsGaps: Bool = false) {
    self.completion = completion
    self.trustedDate = trustedDate
    self.holdsGaps = holdsGaps && completion == .recorded
  }

  /// Dates the epochs ahead of the first one that states its date.
  ///
  /// - Parameters:
  ///   - date: The date of the first epoch, as reckoned back from the first one stated.
  ///   - timeOfDay: The time of day of the first epoch.
  ///   - isByPosition: Whether it is the date of a position, which outranks a clock's.
  public mutating func begin(
    on date: UTCDate, at timeOfDay: UTCTimeOfDay, isByPosition: Bool
  ) {
    dates.note(date, at: timeOfDay)
    isDatedByPosition = isByPosition
  }

  /// When ``completeOnSilence(at:)`` should be called if nothing arrives before.
  public var silenceDeadline: MonotonicTime? {
    guard completion == .live, isOpen, let last = lastActivity ?? builder.receivedAt else {
      return nil
    }
    return last.advanced(
      byNanoseconds: learner.end == nil
        ? Self.silenceNanoseconds : Self.patientSilenceNanoseconds)
  }

  /// Takes it that something has arrived, whatever it was.
  ///
  /// Silence is counted from the last byte: at 4800 baud a list of satellites takes half a second.
  public mutating func noteActivity(at now: MonotonicTime) { lastActivity = now }

  /// Takes a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - used: The satellites that the same sentence lists, which belong to the same epoch.
  ///   - receivedAt: When it arrived; `nil` in a replay at once.
  /// - Returns: Whether ``output`` holds fixes or skies that it completes; most reports complete none.
  public mutating func ingest(
    _ report: FixReport, with used: UsedSatellites? = nil, receivedAt: MonotonicTime? = nil
  ) -> Bool {
    output.removeAll()
    if holdsGaps {
      if isTimeless(report) {
        hold(.fix(report, used: used), receivedAt)
        return false
      }
      closeGap(before: report, receivedAt)
    }
    merge(report, with: used, receivedAt)
    return !output.isEmpty
  }

  /// Takes a report about the sky.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - receivedAt: When it arrived; `nil` in a replay at once.
  /// - Returns: Whether ``output`` holds the sky so far, because the report begins one of its lists
  ///   again.
  public mutating func ingest(_ report: SkyReport, receivedAt: MonotonicTime? = nil) -> Bool {
    output.removeAll()
    if holdsGaps {
      hold(.sky(report), receivedAt)
      return false
    }
    if skyBuilder.isRepeated(by: report) {
      takeSky(amidEpoch: isOpen)
    }
    skyBuilder.merge(report, receivedAt: receivedAt)
    return output.hasSky
  }

  /// Completes the open epoch if nothing has come for long enough.
  ///
  /// - Parameter now: The present reading of the clock.
  /// - Returns: Whether ``output`` holds what the silence has completed.
  public mutating func completeOnSilence(at now: MonotonicTime) -> Bool {
    guard let deadline = silenceDeadline, now >= deadline else { return false }
    return finish()
  }

  /// Completes what is open.
  ///
  /// - Returns: Whether ``output`` holds what the end of the epoch has completed.
  public mutating func finish() -> Bool {
    output.removeAll()
    endEpoch()
    return !output.isEmpty
  }
}

extension EpochAssembler {
  private mutating func endEpoch() {
    if !gap.isEmpty { merge(gap.takeAll(), nil) }
    complete()
    takeSky()
  }

  private mutating func merge(
    _ report: FixReport, with used: UsedSatellites?, _ receivedAt: MonotonicTime?
  ) {
    // Text without an epoch speaks for the whole stream; a sentence only for its own epoch.
    if report.isSimulated, report.kind == nil { isSimulated = true }
    guard !isOutdated(report) else {
      lateReports &+= 1
      return
    }
    // A clock's statement has a date to give, and a time to an epoch that has none.
    if !report.beginsEpoch, !isOpen || (builder.timeOfDay ?? report.timeOfDay) != report.timeOfDay {
      note(report)
      clock = report.timeOfDay
      return
    }
    if isLate(report, receivedAt) { return }
    let isRepeated = repeatsCycle(report, receivedAt)
    if beginsCycle(report) || isRepeated, let receivedAt, completion == .live {
      learner.beginCycle(at: receivedAt)
    }
    if isRepeated || startsNext(report) { endEpoch() }
    if !isOpen {
      let clock = clock
      begin()
      if let clock, report.timeOfDay == nil, report.hasSolution != nil { builder.time(by: clock) }
    }
    note(report)
    builder.merge(report, receivedAt: receivedAt)
    if let used { skyBuilder.merge(used) }
    guard let kind = report.kind else { return }
    openKinds.append(kind)
    if completion == .live, let receivedAt, learner.note(kind, at: receivedAt), complete() {
      // Lists that came before the end of the cycle need not wait for the next.
      if !output.hasSky, skyBuilder.isComplete { takeSky() }
    }
  }

  /// Keeps the date of a report; that of a position outranks a clock's.
  private mutating func note(_ report: FixReport) {
    guard let date = report.date, let timeOfDay = report.timeOfDay,
      report.beginsEpoch || !isDatedByPosition
    else { return }
    isDatedByPosition = report.beginsEpoch
    dates.note(date, at: timeOfDay)
  }

  private func isOutdated(_ report: FixReport) -> Bool {
    if isOpen, let time = builder.time { return time.isAfter(report) }
    return closed.time?.isAfter(report) ?? false
  }

  private func isTimeless(_ report: FixReport) -> Bool {
    report.timeOfDay == nil && report.hasSolution == nil && report.kind != nil
  }

  private mutating func hold(_ element: EpochGap.Element, _ receivedAt: MonotonicTime?) {
    if gap.isFull { merge(gap.takeAll(), receivedAt) }
    gap.append(element)
  }

  /// Gives the reports held since the last timed one to the epochs that they belong to.
  private mutating func closeGap(before report: FixReport, _ receivedAt: MonotonicTime?) {
    guard !gap.isEmpty, report.beginsEpoch, report.kind != nil, !isOutdated(report) else {
      return
    }
    if !isOpen || startsNext(report) {
      if isOpen {
        merge(gap.takeTrailing(), receivedAt)
        let leading = gap.takeAll()
        endEpoch()
        begin()
        merge(leading, receivedAt)
      } else {
        begin()
      }
    }
    merge(gap.takeAll(), receivedAt)
  }

  /// Merges held reports into the open epoch, or opens one.
  private mutating func merge(_ elements: [EpochGap.Element], _ receivedAt: MonotonicTime?) {
    for element in elements {
      switch element {
      case .fix(let report, let used):
        if !isOpen { begin() }
        builder.merge(report, receivedAt: receivedAt)
        if let kind = report.kind { openKinds.append(kind) }
        if let used { skyBuilder.merge(used) }
      case .sky(let report): skyBuilder.merge(report, receivedAt: receivedAt)
      }
    }
  }

  /// Whether a report begins another epoch than the open one.
  ///
  /// Mutating, as ``repeatsCycle(_:_:)`` is, because the compiler copies the whole assembler for the
  /// call of a function that is not.
  private mutating func startsNext(_ report: FixReport) -> Bool {
    guard report.beginsEpoch, let kind = report.kind else { return false }
    guard isOpen else { return hasClosed }
    guard let timeOfDay = report.timeOfDay else {
      // Receivers without any time still send their cycle: the same statement again is the next.
      return (builder.timeOfDay == nil || builder.isTimedByClock) && report.hasSolution != nil
        && openKinds.contains(kind)
    }
    // A cycle without a time and without a solution is over where its statement comes with a time.
    // With a solution it is the same epoch: gpsd's first report of one may lack the time.
    guard let openTime = builder.time else {
      return openKinds.contains(kind) && !builder.hasSolution
    }
    guard timeOfDay != openTime.timeOfDay else { return false }
    // Sentences of one epoch may round its time; the same sentence again is a fast receiver's next.
    return !openTime.isRounded(to: timeOfDay) || openKinds.contains(kind)
      || !builder.joinsRoundedTimes || !report.joinsRoundedTimes
  }

  /// Whether a report is the first of the receiver's next cycle that says so.
  ///
  /// Not the same as starting an epoch: a cycle may begin with a report that has no time.
  private mutating func beginsCycle(_ report: FixReport) -> Bool {
    guard report.beginsEpoch else { return false }
    guard let timeOfDay = report.timeOfDay else {
      return cycleTime == nil && startsNext(report)
    }
    defer { cycleTime = timeOfDay }
    return timeOfDay != cycleTime
  }

  /// Whether a report is the next cycle of a receiver whose clock stands still: what was said
  /// already is said again after a pause, with the same time.
  private mutating func repeatsCycle(_ report: FixReport, _ receivedAt: MonotonicTime?) -> Bool {
    guard completion == .live, isOpen, report.beginsEpoch, let kind = report.kind,
      let timeOfDay = report.timeOfDay, timeOfDay == builder.timeOfDay,
      let receivedAt, let last = builder.receivedAt
    else { return false }
    return openKinds.contains(kind)
      && receivedAt.nanoseconds &- last.nanoseconds >= Self.silenceNanoseconds
  }

  /// Whether a report belongs to an epoch that is complete already; counts and unlearns if so.
  private mutating func isLate(_ report: FixReport, _ receivedAt: MonotonicTime?) -> Bool {
    guard completion == .live, !isOpen, let kind = report.kind,
      closed.owns(report, of: kind, isSoon: followsSoon(receivedAt))
    else { return false }
    lateReports &+= 1
    learner.contradict()
    return true
  }

  /// Whether something comes well within the pause after the learnt end of the cycle, and so is
  /// the rest of the burst.
  private func followsSoon(_ receivedAt: MonotonicTime?) -> Bool {
    guard let at = closed.at, let receivedAt, learner.end != nil else { return false }
    return receivedAt.nanoseconds &- at.nanoseconds < learner.pauseNanoseconds / 4
  }

  private mutating func begin() {
    builder = FixBuilder()
    skyBuilder.beginEpoch()
    isOpen = true
    clock = nil
    openKinds.removeAll()
  }

  /// Ends the open epoch; false where it holds no solution of its own, or an old one.
  @discardableResult
  private mutating func complete() -> Bool {
    guard isOpen else { return false }
    isOpen = false
    let isRepeated =
      completion == .live && builder.timeOfDay != nil
      && builder.timeOfDay == closed.time?.timeOfDay
    closed = ClosedEpoch(time: builder.time, kinds: openKinds, at: builder.receivedAt)
    hasClosed = true
    let time = time()
    skyTime = time?.utc
    guard builder.build() else { return false }
    skyDilution = builder.fix.dilution
    // GGA counts no further than 12 on many receivers.
    if builder.fix.satellitesUsed == 12 {
      builder.fix.satellitesUsed = max(12, skyBuilder.usedCount)
    }
    if isRepeated, builder.fix.mode > .none {
      repeatedEpochs &+= 1
      return false
    }
    builder.fix.time = time?.utc
    builder.fix.isDateCorrected = time?.isCorrected ?? false
    builder.fix.isSimulated = builder.fix.isSimulated || isSimulated
    output.append(builder.fix)
    return true
  }

  /// The time of the open epoch; `nil` where its time of day or its date is unknown.
  private mutating func time() -> (utc: UTCTime, isCorrected: Bool)? {
    guard let timeOfDay = builder.timeOfDay, let date = dates.date(for: timeOfDay) else {
      return nil
    }
    var corrected = date
    if let trustedDate { corrected = WeekRollover.corrected(date, near: trustedDate) }
    return (UTCTime(date: corrected, timeOfDay: timeOfDay), corrected != date)
  }

  private mutating func takeSky(amidEpoch isAmid: Bool = false) {
    // The dilution of an open epoch is not known yet.
    let isTaken = skyBuilder.take(
      into: &output.sky, dilution: isAmid ? Dilution() : skyDilution, isSimulated: isSimulated,
      endsEpoch: !isAmid)
    guard isTaken else { return }
    output.sky.time = isAmid ? time()?.utc : skyTime
    output.hasSky = true
  }
}
