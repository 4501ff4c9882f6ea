// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Facts read ahead from a recording: the order of its sentences, and its first date.
///
/// Read the beginning of a recording with ``read(_:)`` until ``isComplete`` or the end. Then make a
/// decoder with the survey, and decode the recording from the start. Without a survey, sentences
/// without a time are assigned to the previous epoch, and epochs before the first date have no
/// time.
public struct RecordingSurvey: Sendable {
  /// The number of epochs after which the search for the order of the sentences is abandoned.
  static let maxEpochs = 1000
  /// The maximum number of bytes read: about one day of a typical receiver.
  static let maxBytes = 32 << 20

  private var reader: SentenceReader
  private var findings = Findings()
  private var byteCount = 0

  /// Makes an empty survey.
  ///
  /// - Parameter allowsMissingChecksum: Whether sentences without a checksum are accepted.
  public init(allowsMissingChecksum: Bool = false) {
    var options = SentenceReader.Options()
    options.allowsMissingChecksum = allowsMissingChecksum
    options.skipsComments = true
    reader = SentenceReader(options: options)
  }

  /// Reads the next bytes.
  ///
  /// - Parameter bytes: Any number of bytes; they may begin and end within a sentence.
  public mutating func read(_ bytes: Span<UInt8>) {
    byteCount += bytes.count
    reader.read(bytes, into: &findings)
  }

  /// Whether enough bytes have been read.
  public var isComplete: Bool {
    byteCount >= Self.maxBytes
      || (findings.hasDate && (findings.isOrderKnown || findings.epochCount >= Self.maxEpochs))
  }

  var order: SentenceOrder { findings.order }

  /// The date and time of day of the first epoch, calculated back from the first date.
  var start: (date: UTCDate, timeOfDay: UTCTimeOfDay)? { findings.start }

  /// Whether the date comes from a sentence with a valid position, not only from a clock.
  var isDatedByPosition: Bool { findings.hasDate }
}

extension RecordingSurvey {
  /// Compares each VTG and GSA with the timed sentences before and after it, and the beginning of
  /// the recording with the beginnings of the later cycles.
  private struct Findings: SentenceHandler, Sendable {
    private(set) var epochCount = 0
    /// The date of the first epoch according to the first valid RMC.
    private var dateByRMC: UTCDate?
    /// The date of the first epoch according to the first ZDA.
    private var dateByZDA: UTCDate?

    private var firstTime: UTCTimeOfDay?
    private var lastTime: UTCTimeOfDay?
    /// The number of midnights between the first epoch and the last epoch.
    private var midnightCount: Int32 = 0
    private var vtg = OrderStatistics<Motion>()
    private var gsa = OrderStatistics<Double>()
    private var voids = VoidStatistics()
    private var leading = LeadingSentences()

    /// Speed and course, which both VTG and RMC contain.
    private struct Motion: Equatable, Sendable {
      var speed: Double
      var course: Double
    }

    /// Whether the date is reliable: a receiver without a fix may send any date.
    var hasDate: Bool { dateByRMC != nil }

    var start: (date: UTCDate, timeOfDay: UTCTimeOfDay)? {
      guard let date = dateByRMC ?? dateByZDA, let firstTime else { return nil }
      return (date, firstTime)
    }

    var isOrderKnown: Bool { vtg.isDecided && gsa.isDecided }

    var order: SentenceOrder {
      SentenceOrder(
        gsaPrecedesTime: gsa.precedes, vtgPrecedesTime: vtg.precedes,
        gapPrecedesTime: leading.areRepeated && !gsa.follows && !vtg.follows,
        hasVoidReceiver: voids.isOfSecondReceiver)
    }

    mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
      switch copy sentence {
      case .rmc(let rmc):
        note(rmc.time, isVoid: rmc.status == .void)
        if rmc.status?.isValid == true { dateByRMC = dateByRMC ?? firstDate(from: rmc.date) }
        if let motion = Self.motion(rmc.speedMetersPerSecond, rmc.courseDegreesTrue) {
          vtg.noteTimed(motion)
        }
      case .vtg(let sentence):
        leading.noteTimeless(nil)
        if let motion = Self.motion(sentence.speedMetersPerSecond, sentence.courseDegreesTrue) {
          vtg.noteTimeless(motion)
        }
      case .gga(let gga):
        note(gga.time, isVoid: gga.quality == .invalid)
        if let dilution = gga.horizontalDilution { gsa.noteTimed(dilution) }
      case .gsa(let sentence):
        leading.noteTimeless(address.rawValue)
        if let dilution = sentence.horizontalDilution { gsa.noteTimeless(dilution) }
      case .gns(let gns): note(gns.time, isVoid: gns.bestMode == .notValid)
      case .gll(let gll): note(gll.time, isVoid: gll.status == .void)
      case .gsv(let gsv):
        // Only the first part of a list begins a cycle.
        leading.noteTimeless(gsv.sentenceNumber == 1 ? address.rawValue : nil)
      case .zda(let zda):
        leading.noteTimeless(nil)
        // ZDA may contain the time of the next second, so ZDA does not begin an epoch.
        firstTime = firstTime ?? zda.time.flatMap(UTCTimeOfDay.init)
        dateByZDA = dateByZDA ?? firstDate(from: zda.date)
      default: leading.noteTimeless(nil)
      }
    }

    mutating func passOver(_ address: SentenceAddress) { leading.noteTimeless(nil) }
    mutating func report(_ error: SentenceError) {
      if error.isRefusal { leading.noteTimeless(nil) }
    }

    private static func motion(_ speed: Double?, _ course: Double?) -> Motion? {
      guard let speed, let course else { return nil }
      return Motion(speed: speed, course: course)
    }

    private mutating func note(_ time: TimeOfDay?, isVoid: Bool) {
      guard let time = time.flatMap(UTCTimeOfDay.init) else {
        if isVoid, lastTime != nil { voids.noteTimeless() }
        leading.noteTimed(isNewTime: false)
        return
      }
      leading.noteTimed(isNewTime: lastTime != nil && time != lastTime)
      if let lastTime {
        if time != lastTime { epochCount += 1 }
        // A decrease by more than half a day is a midnight. An increase by more than half a day is
        // a late sentence from before midnight.
        let step = time.nanosecondsSinceMidnight - lastTime.nanosecondsSinceMidnight
        let halfDay: Int64 = 43_200_000_000_000
        voids.noteStep(nanoseconds: step < -halfDay ? step + 2 * halfDay : step)
        if step < -halfDay { midnightCount += 1 }
        if step > halfDay { midnightCount -= 1 }
      }
      lastTime = time
      firstTime = firstTime ?? time
    }

    /// Returns the date of the first epoch, given the date of the last epoch.
    private func firstDate(from date: CalendarDate?) -> UTCDate? {
      date.flatMap(UTCDate.init)?.adding(days: -midnightCount)
    }
  }

  /// Counts the steps of the time with and without reports of "no solution" that have no time.
  ///
  /// A receiver that loses its time sends such reports now and then. A second receiver on the line
  /// without a position sends them in each cycle. Reports before the first time are ignored: every
  /// receiver sends them after a cold start.
  private struct VoidStatistics: Sendable {
    private var stepCount = 0
    private var voidStepCount = 0
    private var hasVoid = false

    /// Whether most steps have such reports, or there are such reports and the time never changes.
    var isOfSecondReceiver: Bool {
      stepCount == 0 ? hasVoid : voidStepCount > stepCount - voidStepCount
    }

    mutating func noteTimeless() { hasVoid = true }

    mutating func noteStep(nanoseconds step: Int64) {
      guard step > 0 else { return }
      stepCount += 1
      if hasVoid { voidStepCount += 1 }
      hasVoid = false
    }
  }

  /// Compares the first sentence of the recording with the first sentence after a time.
  ///
  /// A recording usually begins with the first sentence of a cycle: the port is opened in the pause
  /// between two cycles. If this sentence is of the satellites and also follows the last timed sentence of
  /// the first epoch, the sentences without a time precede the timed sentences of their epoch.
  private struct LeadingSentences: Sendable {
    /// The address of the first sentence; `nil` if it has a time or does not begin a cycle.
    private var first: UInt64?
    private var hasBegun = false
    /// The address of the first sentence after the last timed sentence.
    private var afterTime: UInt64?
    private var isAfterTime = false
    /// The result of the comparison; `nil` before the second epoch.
    private var verdict: Bool?

    var areRepeated: Bool { verdict ?? false }

    mutating func noteTimeless(_ address: UInt64?) {
      if !hasBegun { (hasBegun, first) = (true, address) }
      if isAfterTime { (isAfterTime, afterTime) = (false, address) }
    }

    mutating func noteTimed(isNewTime: Bool) {
      hasBegun = true
      if isNewTime, verdict == nil { verdict = first != nil && afterTime == first }
      (isAfterTime, afterTime) = (true, nil)
    }
  }

  /// Counts how often a value without a time equals the next or the previous timed value.
  private struct OrderStatistics<Value: Equatable & Sendable>: Sendable {
    private static var matchesNeeded: Int { 3 }

    private var timed: Value?
    private var timeless: Value?
    private var nextMatchCount = 0
    private var previousMatchCount = 0

    var precedes: Bool {
      nextMatchCount > previousMatchCount && nextMatchCount >= Self.matchesNeeded
    }
    var follows: Bool { previousMatchCount > nextMatchCount }
    var isDecided: Bool {
      max(nextMatchCount, previousMatchCount) >= 3 * Self.matchesNeeded
    }

    mutating func noteTimeless(_ value: Value) { timeless = value }

    mutating func noteTimed(_ value: Value) {
      defer { (timed, timeless) = (value, nil) }
      guard let timed, let timeless, timed != value else { return }
      if timeless == value {
        nextMatchCount += 1
      } else if timeless == timed {
        previousMatchCount += 1
      }
    }
  }
}
