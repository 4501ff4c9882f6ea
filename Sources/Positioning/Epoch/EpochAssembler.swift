// SPDX-License-Identifier: Apache-2.0

/// Assembles the reports of one receiver into epochs: one fix and one sky each.
///
/// Reports belong to one epoch if their UTC times are equal up to rounding, for any talkers.
/// Reports without a time belong to the open epoch. An epoch ends when a report with another time
/// arrives. For live input, where this is a cycle late, the assembler learns which report ends the
/// cycle (`CycleLearner`); until then, a silence on the line completes the epoch.
///
/// Some receivers begin a cycle with reports without a time (GSA before RMC). Once the end of the
/// cycle is learnt, these belong to the next epoch. In a recording, they belong to the next epoch if
/// they are marked with ``FixReport/precedesTime`` or if the recording is known to begin with them,
/// otherwise to the previous epoch, as in gpsd. A report of "no solution" without a time begins an
/// epoch of its own after a solution or a report of its kind: the receiver has lost its time.
///
/// This is a value type without a clock or thread. Each source has its own assembler.
public struct EpochAssembler: Sendable {
  /// The number of reports dropped because their epoch was complete or their time was too old.
  public private(set) var lateReports: UInt64 = 0
  /// The number of epochs dropped because they repeated the time of the previous epoch, as when
  /// the receiver's clock has stopped.
  public private(set) var repeatedEpochs: UInt64 = 0
  /// The fixes and the sky completed by the last call of `ingest`, `completeOnSilence` or `finish`.
  ///
  /// A caller may modify the fixes before it delivers them. The next such call clears the output.
  public var output = EpochOutput()
  /// The number of times the learnt end of the cycle was wrong.
  public var contradictions: Int { learner.contradictions }

  private let completion: Completion
  private let trustedDate: UTCDate?

  /// The open epoch, modified in place because it is large and every report changes it.
  private var builder = FixBuilder()
  private var isOpen = false
  private var lastActivity: MonotonicTime?
  private var skyBuilder = SkyBuilder()
  private var dates = DateKeeper()
  private var isDatedByPosition = false
  private var learner = CycleLearner()
  private var closed = ClosedEpoch()
  private var hasClosed = false
  /// The time of the last clock report (ZDA), used for an epoch without a time.
  private var clock: UTCTimeOfDay?
  /// The time in the last report that began an epoch.
  private var cycleTime: UTCTimeOfDay?
  private var skyTime: UTCTime?
  private var skyDilution = Dilution()
  private var isSimulated = false

  /// Whether reports without a time are held until the next timed report determines their epoch.
  private let holdsGaps: Bool
  private var gap: EpochGap
  /// Whether reports of "no solution" without a time belong to the open epoch of a recording.
  private let joinsVoidReports: Bool

  private var openKinds = ReportKinds()

  /// Makes an assembler at the start of a stream.
  ///
  /// - Parameters:
  ///   - completion: The rule that completes an epoch.
  ///   - trustedDate: A date for correcting a GPS week rollover; `nil` for no correction.
  ///   - holdsGaps: Whether the input has reports with ``FixReport/precedesTime``. Reports without
  ///     a time are then held until the next timed report. Ignored for live input.
  ///   - gapsPrecedeTime: Whether all held reports between two epochs belong to the next epoch.
  ///   - joinsVoidReports: Whether reports of "no solution" without a time are of a second receiver
  ///     on the line, and do not begin epochs. Always true for live input, where each cycle ends
  ///     with a silence or with its learnt last report.
  public init(
    completion: Completion, trustedDate: UTCDate? = nil, holdsGaps: Bool = false,
    gapsPrecedeTime: Bool = false, joinsVoidReports: Bool = false
  ) {
    self.completion = completion
    self.trustedDate = trustedDate
    self.joinsVoidReports = joinsVoidReports || completion == .live
    self.holdsGaps = holdsGaps && completion == .recorded
    gap = EpochGap(precedesTime: gapsPrecedeTime)
  }

  /// Sets the date of the epochs before the first report with a date.
  /// - Parameters:
  ///   - date: The date of the first epoch, computed back from the first date in the input.
  ///   - timeOfDay: The time of day of the first epoch.
  ///   - isByPosition: Whether the date is from a position report, not a clock report.
  public mutating func begin(
    on date: UTCDate, at timeOfDay: UTCTimeOfDay, isByPosition: Bool
  ) {
    dates.note(date, at: timeOfDay)
    isDatedByPosition = isByPosition
  }

  /// The time at which to call ``completeOnSilence(at:)`` if no data arrives earlier; `nil` if
  /// there is neither an open epoch nor a sky after it, or the input is a recording.
  public var silenceDeadline: MonotonicTime? {
    guard completion == .live, isOpen || skyBuilder.isComplete,
      let last = lastActivity ?? builder.receivedAt
    else { return nil }
    let isShort = isOpen ? learner.end == nil : skyBuilder.hasAllLists
    return last.advanced(
      byNanoseconds: isShort ? Self.silenceNanoseconds : Self.longSilenceNanoseconds)
  }

  /// Records that bytes have arrived, which restarts the measurement of silence.
  ///
  /// Silence is measured from the last byte: at 4800 baud a list of satellites takes half a second.
  public mutating func noteActivity(at now: MonotonicTime) { lastActivity = now }

  /// Processes a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - used: The satellites that the same sentence lists as used.
  ///   - receivedAt: The time of arrival; `nil` in a replay at full speed.
  /// - Returns: Whether ``output`` contains completed fixes or a sky; false for most reports.
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

  /// Processes a sky report; its time of arrival is `nil` in a replay at full speed.
  ///
  /// - Returns: Whether ``output`` contains the previous sky, because the report restarts one of
  ///   its lists.
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

  /// Completes the open epoch, or the sky after it, if ``silenceDeadline`` has passed.
  ///
  /// - Returns: Whether ``output`` contains a completed fix or sky.
  public mutating func completeOnSilence(at now: MonotonicTime) -> Bool {
    guard let deadline = silenceDeadline, now >= deadline else { return false }
    return finish()
  }

  /// Completes the open epoch, as at the end of the input.
  ///
  /// - Returns: Whether ``output`` contains a completed fix or sky.
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
    // A simulator's text message applies to the whole stream; a sentence applies to its epoch.
    if report.isSimulated, report.kind == nil { isSimulated = true }
    guard !isOutdated(report) else {
      lateReports &+= 1
      return
    }
    // A clock report (ZDA) only supplies a date, and a time for an epoch without a time.
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
      if let clock, report.timeOfDay == nil, report.concernsSolution {
        builder.setTime(fromClock: clock)
      }
    }
    note(report)
    builder.merge(report, receivedAt: receivedAt)
    if let used { skyBuilder.merge(used) }
    guard let kind = report.kind else { return }
    openKinds.append(kind)
    if completion == .live, let receivedAt, learner.note(kind, at: receivedAt), complete() {
      // Complete satellite lists are published with this epoch, without waiting for a report.
      if !output.hasSky, skyBuilder.isComplete { takeSky() }
    }
  }

  /// Records the date of a report; a position report takes precedence over a clock report.
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
    report.timeOfDay == nil && !report.concernsSolution && report.kind != nil
  }

  private mutating func hold(_ element: EpochGap.Element, _ receivedAt: MonotonicTime?) {
    if gap.isFull { merge(gap.takeAll(), receivedAt) }
    gap.append(element)
  }

  /// Assigns the reports held since the last timed report to their epochs.
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

  /// Merges held reports into the open epoch; opens an epoch if none is open.
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

  /// Returns whether a report begins a new epoch.
  ///
  /// Mutating, like ``repeatsCycle(_:_:)``, because the compiler copies the whole assembler to call
  /// a nonmutating function.
  private mutating func startsNext(_ report: FixReport) -> Bool {
    guard report.beginsEpoch, let kind = report.kind else { return false }
    guard isOpen else { return hasClosed }
    guard let timeOfDay = report.timeOfDay else {
      // If neither the epoch nor the report has a time, a repeated kind of report begins the next
      // epoch. If the epoch has a time, only a report of "no solution" begins the next epoch, also
      // one of a new kind after a solution: a receiver may restart with other sentences.
      guard report.concernsSolution else { return false }
      let isRepeated = openKinds.contains(kind)
      if builder.timeOfDay == nil || builder.isTimedByClock { return isRepeated }
      guard report.hasSolution == false, !joinsVoidReports else { return false }
      return isRepeated || builder.hasSolution
    }
    // The open epoch has no time, but this report has one. A repeated kind begins the next epoch,
    // except after a solution: gpsd's first report may lack the time.
    guard let openTime = builder.time else {
      return openKinds.contains(kind) && !builder.hasSolution
    }
    guard timeOfDay != openTime.timeOfDay else {
      // The clock of the first receiver has stopped, and a second receiver has sent its cycle.
      return completion == .recorded && builder.hasVoidReport && openKinds.first == kind.rawValue
    }
    // Sentences may round the time of one epoch. A repeated sentence begins the next epoch of a
    // fast receiver.
    return !openTime.isRounded(to: timeOfDay) || openKinds.contains(kind)
      || !builder.joinsRoundedTimes || !report.joinsRoundedTimes
  }

  /// Returns whether a report is the first to show that the receiver's next cycle has started.
  ///
  /// The cycle may have started earlier, with reports without a time.
  private mutating func beginsCycle(_ report: FixReport) -> Bool {
    guard report.beginsEpoch else { return false }
    guard let timeOfDay = report.timeOfDay else {
      return cycleTime == nil && startsNext(report)
    }
    defer { cycleTime = timeOfDay }
    return timeOfDay != cycleTime
  }

  /// Returns whether a report starts the next cycle of a receiver whose clock has stopped: the same
  /// kind of report arrives again after a pause, with the same time.
  private mutating func repeatsCycle(_ report: FixReport, _ receivedAt: MonotonicTime?) -> Bool {
    guard completion == .live, isOpen, report.beginsEpoch, let kind = report.kind,
      let timeOfDay = report.timeOfDay, timeOfDay == builder.timeOfDay,
      let receivedAt, let last = builder.receivedAt
    else { return false }
    return openKinds.contains(kind)
      && receivedAt.nanoseconds &- last.nanoseconds >= Self.silenceNanoseconds
  }

  /// Returns whether a report belongs to the completed epoch.
  ///
  /// If so, counts the report as late and discards the learnt end of the cycle.
  private mutating func isLate(_ report: FixReport, _ receivedAt: MonotonicTime?) -> Bool {
    guard completion == .live, !isOpen, let kind = report.kind,
      closed.includes(report, of: kind, isSoon: followsSoon(receivedAt))
    else { return false }
    lateReports &+= 1
    learner.contradict()
    return true
  }

  /// Returns whether a report arrives in the first quarter of the pause after the learnt end of the
  /// cycle, and is therefore part of the same burst.
  private func followsSoon(_ receivedAt: MonotonicTime?) -> Bool {
    guard let end = closed.receivedAt, let receivedAt, learner.end != nil else { return false }
    return receivedAt.nanoseconds &- end.nanoseconds < learner.pauseNanoseconds / 4
  }

  private mutating func begin() {
    builder = FixBuilder()
    skyBuilder.beginEpoch()
    isOpen = true
    clock = nil
    openKinds.removeAll()
  }

  /// Completes the open epoch.
  ///
  /// Returns false if no report stated whether there is a solution, or if the epoch is a repeat.
  @discardableResult
  private mutating func complete() -> Bool {
    guard isOpen else { return false }
    isOpen = false
    let isRepeated =
      completion == .live && builder.timeOfDay != nil
      && builder.timeOfDay == closed.time?.timeOfDay
    closed = ClosedEpoch(time: builder.time, kinds: openKinds, receivedAt: builder.receivedAt)
    hasClosed = true
    let time = time()
    skyTime = time?.utc
    guard builder.build() else { return false }
    skyDilution = builder.fix.dilution
    // Many receivers report at most 12 satellites in GGA.
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

  /// Returns the time of the open epoch; `nil` if its time of day or its date is unknown.
  private mutating func time() -> (utc: UTCTime, isCorrected: Bool)? {
    guard let timeOfDay = builder.timeOfDay, let date = dates.date(for: timeOfDay) else {
      return nil
    }
    var corrected = date
    if let trustedDate { corrected = WeekRollover.corrected(date, near: trustedDate) }
    return (UTCTime(date: corrected, timeOfDay: timeOfDay), corrected != date)
  }

  private mutating func takeSky(amidEpoch isAmid: Bool = false) {
    // The dilutions of an open epoch are not complete yet.
    let isTaken = skyBuilder.take(
      into: &output.sky, dilution: isAmid ? Dilution() : skyDilution, isSimulated: isSimulated,
      endsEpoch: !isAmid)
    guard isTaken else { return }
    output.sky.time = isAmid ? time()?.utc : skyTime
    output.hasSky = true
  }
}
