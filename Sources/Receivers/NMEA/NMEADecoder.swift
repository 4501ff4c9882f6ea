// SPDX-License-Identifier: Apache-2.0

import NMEA
public import Positioning

/// Turns the bytes of one receiver into fixes and skies.
///
/// A plain value: no clock, no thread, no descriptor. Whoever owns the bytes feeds it, and asks it
/// by when it wants to be told that nothing more has come.
public struct NMEADecoder: Sendable {
  /// How bytes come in.
  public enum Pace: Sendable {
    /// As the receiver sends them: epochs complete as early as they safely can, and dates that
    /// are out by a GPS week rollover are put right.
    case live
    /// From a recording: epochs complete where the next begins, and dates stay as they are.
    case recorded
  }

  private var reader: SentenceReader
  private var sink: ReportSink

  /// Makes a decoder at the start of a stream.
  ///
  /// - Parameters:
  ///   - source: The name that its fixes carry.
  ///   - pace: How bytes come in.
  ///   - trustedDate: A date that is right to within years, such as the system clock's; live dates
  ///     are put right by it or by the build date, whichever is later.
  ///   - allowsMissingChecksum: Whether sentences without a checksum are read.
  ///   - survey: What the recording shows only further on; `nil` where it cannot be read twice.
  public init(
    source: String?, pace: Pace, trustedDate: UTCDate? = nil, allowsMissingChecksum: Bool = false,
    survey: RecordingSurvey? = nil
  ) {
    var options = SentenceReader.Options()
    options.allowsMissingChecksum = allowsMissingChecksum
    options.skipsComments = pace == .recorded
    reader = SentenceReader(options: options)
    let reference = max(trustedDate ?? WeekRollover.buildDate, WeekRollover.buildDate)
    let order = survey?.order ?? SentenceOrder()
    var assembler = EpochAssembler(
      completion: pace == .live ? .live : .recorded,
      trustedDate: pace == .live ? reference : nil, holdsGaps: order.hasPreceding)
    if let survey, let start = survey.start {
      assembler.begin(
        on: start.date, at: start.timeOfDay, isByPosition: survey.isDatedByPosition)
    }
    sink = ReportSink(source: source, assembler: assembler, order: order)
  }

  /// Takes the next bytes and delivers what they complete.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, cut anywhere.
  ///   - receivedAt: When the last of them arrived; `nil` in a replay at once.
  ///   - deliver: Takes each event, in order.
  public mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    sink.counters.bytes &+= UInt64(bytes.count)
    sink.receivedAt = receivedAt
    if let receivedAt { sink.assembler.noteActivity(at: receivedAt) }
    withoutActuallyEscaping(deliver) { deliver in
      lend(deliver) { reader, handler in reader.read(bytes, into: &handler) }
    }
  }

  /// Moves the sink out for the length of a call and back, so that nothing in it is shared, and
  /// so never copied.
  private mutating func lend(
    _ deliver: @escaping (FixSourceEvent) -> Void,
    _ body: (inout SentenceReader, inout DeliveringSink) -> Void
  ) {
    var handler = DeliveringSink(sink: .placeholder, deliver: deliver)
    swap(&handler.sink, &sink)
    body(&reader, &handler)
    swap(&handler.sink, &sink)
  }

  /// When ``completeOnSilence(at:deliver:)`` should be called if nothing arrives before; `nil`
  /// while no epoch is open.
  public var silenceDeadline: MonotonicTime? { sink.assembler.silenceDeadline }

  /// Completes the open epoch, if the silence has lasted long enough.
  ///
  /// - Parameters:
  ///   - now: The present reading of the clock that ``decode(_:receivedAt:deliver:)`` is given.
  ///   - deliver: Takes each event, in order.
  public mutating func completeOnSilence(
    at now: MonotonicTime, deliver: (FixSourceEvent) -> Void
  ) {
    if sink.assembler.completeOnSilence(at: now) { sink.deliverOutput(deliver) }
  }

  /// Completes what is open at the end of the input.
  public mutating func finish(deliver: (FixSourceEvent) -> Void) {
    withoutActuallyEscaping(deliver) { deliver in
      lend(deliver) { reader, handler in reader.finish(into: &handler) }
    }
    if sink.assembler.finish() { sink.deliverOutput(deliver) }
  }

  /// What has been read so far.
  public var counters: NMEACounters {
    var counters = sink.counters
    counters.strayBytes = reader.framing.strayBytes
    counters.controlBytes = reader.framing.controlBytes
    counters.errors &+= reader.framing.overlongLines &+ reader.framing.brokenLines
    counters.lateReports = sink.assembler.lateReports
    counters.refusedMeasurements = sink.instruments.refusedMeasurements
    counters.repeatedEpochs = sink.assembler.repeatedEpochs
    return counters
  }

  /// The last line that was refused or flawed, as text for a log; `nil` while there was none.
  public var lastError: String? { sink.lastError?.description }
}
