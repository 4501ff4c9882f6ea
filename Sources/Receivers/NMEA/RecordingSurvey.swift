// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// What a recording shows only further on: the order of its sentences, and its first date.
///
/// Read the beginning of a recording with ``read(_:)`` until ``isComplete`` or the end, then decode
/// it from the start with a decoder that has the survey. Without one, sentences without a time
/// count to the epoch before, and epochs before the first date have no time.
public struct RecordingSurvey: Sendable {
  /// After this many epochs the order of the sentences is taken for undecidable.
  static let maxEpochs = 1000

  private var reader: SentenceReader
  private var findings = Findings()

  /// Makes a survey of a recording's beginning.
  public init() {
    var options = SentenceReader.Options()
    options.skipsComments = true
    reader = SentenceReader(options: options)
  }

  /// Reads the next bytes.
  ///
  /// - Parameter bytes: Any number of bytes, cut anywhere.
  public mutating func read(_ bytes: Span<UInt8>) { reader.read(bytes, into: &findings) }

  /// Whether reading on would find out nothing more.
  public var isComplete: Bool {
    findings.start != nil && (findings.isOrderKnown || findings.epochCount >= Self.maxEpochs)
  }

  /// The number of epochs read.
  public var epochCount: Int { findings.epochCount }

  var order: SentenceOrder { findings.order }

  /// The date and time of day of the first epoch, reckoned back from the first date.
  var start: (date: UTCDate, timeOfDay: UTCTimeOfDay)? { findings.start }
}

extension RecordingSurvey {
  /// Compares each VTG and GSA with the timed sentences before and behind it.
  private struct Findings: SentenceHandler, Sendable {
    private(set) var start: (date: UTCDate, timeOfDay: UTCTimeOfDay)?
    private(set) var epochCount = 0

    private var firstTime: UTCTimeOfDay?
    private var lastTime: UTCTimeOfDay?
    /// Midnights between the first epoch and the last.
    private var midnightCount: Int32 = 0
    private var vtg = OrderVotes<Motion>()
    private var gsa = OrderVotes<Double>()

    /// Speed and course, in the digits that VTG and RMC share.
    private struct Motion: Equatable, Sendable {
      var speed: Double
      var course: Double
    }

    var isOrderKnown: Bool { vtg.isDecided && gsa.isDecided }

    var order: SentenceOrder {
      SentenceOrder(gsaPrecedesTime: gsa.precedes, vtgPrecedesTime: vtg.precedes)
    }

    mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
      switch copy sentence {
      case .rmc(let rmc):
        note(rmc.time, rmc.date)
        if let motion = Self.motion(rmc.speedMetersPerSecond, rmc.courseDegreesTrue) {
          vtg.noteTimed(motion)
        }
      case .vtg(let sentence):
        if let motion = Self.motion(sentence.speedMetersPerSecond, sentence.courseDegreesTrue) {
          vtg.noteTimeless(motion)
        }
      case .gga(let gga):
        note(gga.time, nil)
        if let dilution = gga.horizontalDilution { gsa.noteTimed(dilution) }
      case .gsa(let sentence):
        if let dilution = sentence.horizontalDilution { gsa.noteTimeless(dilution) }
      case .gns(let gns): note(gns.time, nil)
      case .gll(let gll): note(gll.time, nil)
      case .zda(let zda): note(zda.time, zda.date)
      default: break
      }
    }

    mutating func passOver(_ address: SentenceAddress) {}
    mutating func report(_ error: SentenceError) {}

    private static func motion(_ speed: Double?, _ course: Double?) -> Motion? {
      guard let speed, let course else { return nil }
      return Motion(speed: speed, course: course)
    }

    private mutating func note(_ time: TimeOfDay?, _ date: CalendarDate?) {
      guard let time = time.flatMap(UTCTimeOfDay.init) else { return }
      if let lastTime {
        if time != lastTime { epochCount += 1 }
        // A step back of more than half a day is midnight; a shorter one is a clock that is set.
        let step = time.nanosecondsSinceMidnight - lastTime.nanosecondsSinceMidnight
        if step < -43_200_000_000_000 { midnightCount += 1 }
      }
      lastTime = time
      firstTime = firstTime ?? time
      if start == nil, let date = date.flatMap(UTCDate.init), let firstTime {
        start = (date.adding(days: -midnightCount), firstTime)
      }
    }
  }

  /// Votes on whether a value repeats that of the timed sentence before it or behind it.
  private struct OrderVotes<Value: Equatable & Sendable>: Sendable {
    private static var votesNeeded: Int { 3 }

    private var timed: Value?
    private var timeless: Value?
    private var leadCount = 0
    private var trailCount = 0

    var precedes: Bool { leadCount > trailCount && leadCount >= Self.votesNeeded }
    var isDecided: Bool { max(leadCount, trailCount) >= 3 * Self.votesNeeded }

    mutating func noteTimeless(_ value: Value) { timeless = value }

    mutating func noteTimed(_ value: Value) {
      defer { (timed, timeless) = (value, nil) }
      guard let timed, let timeless, timed != value else { return }
      if timeless == value { leadCount += 1 } else if timeless == timed { trailCount += 1 }
    }
  }
}
