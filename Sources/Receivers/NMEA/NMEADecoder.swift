// SPDX-License-Identifier: Apache-2.0

import NMEA
public import Positioning

/// Decodes the bytes of one receiver into fixes and sky views.
///
/// A decoder has no clock, thread or descriptor. The caller passes in the bytes, and calls
/// ``completeOnSilence(at:deliver:)`` at the ``silenceDeadline``.
public struct NMEADecoder: Sendable {
  /// The origin of the bytes.
  public enum Pace: Sendable {
    /// A receiver. Epochs complete as early as safely possible, and dates that are wrong by a GPS
    /// week rollover are corrected.
    case live
    /// A recording. An epoch completes when the next epoch begins, and dates are not corrected.
    case recorded
  }

  private var reader: SentenceReader
  private var sink: ReportSink

  /// Makes a decoder at the start of a stream.
  ///
  /// - Parameters:
  ///   - source: The source name set in every fix.
  ///   - pace: The origin of the bytes.
  ///   - trustedDate: A date that is correct to within a few years, such as the system clock's.
  ///     Live dates are corrected with `trustedDate` or the build date, whichever is later.
  ///   - allowsMissingChecksum: Whether sentences without a checksum are accepted.
  ///   - survey: Facts read ahead from a recording; `nil` if the recording cannot be read twice.
  ///   - maxErrors: The maximum number of errors of each kind that ``firstErrors`` describes.
  public init(
    source: String?, pace: Pace, trustedDate: UTCDate? = nil, allowsMissingChecksum: Bool = false,
    survey: RecordingSurvey? = nil, maxErrors: Int = 0
  ) {
    var options = SentenceReader.Options()
    options.allowsMissingChecksum = allowsMissingChecksum
    options.skipsComments = pace == .recorded
    reader = SentenceReader(options: options)
    let reference = max(trustedDate ?? WeekRollover.buildDate, WeekRollover.buildDate)
    let order = survey?.order ?? SentenceOrder()
    var assembler = EpochAssembler(
      completion: pace == .live ? .live : .recorded,
      trustedDate: pace == .live ? reference : nil, holdsGaps: order.hasPreceding,
      gapsPrecedeTime: order.gapPrecedesTime, joinsVoidReports: order.hasVoidReceiver)
    if let survey, let start = survey.start {
      assembler.begin(
        on: start.date, at: start.timeOfDay, isByPosition: survey.isDatedByPosition)
    }
    sink = ReportSink(
      source: source, assembler: assembler, order: order, maxErrors: maxErrors)
  }

  /// Decodes the next bytes and delivers the events that they complete.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes; they may begin and end within a sentence.
  ///   - receivedAt: The arrival time of the last byte; `nil` in an immediate replay.
  ///   - deliver: Receives each event, in order.
  public mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    sink.counters.bytes &+= UInt64(bytes.count)
    sink.receivedAt = receivedAt
    if let receivedAt { sink.assembler.noteActivity(at: receivedAt) }
    withoutActuallyEscaping(deliver) { deliver in
      withHandler(deliver) { reader, handler in reader.read(bytes, into: &handler) }
    }
  }

  /// Moves the sink into a handler during a call, so that the storage of the sink is never copied.
  private mutating func withHandler(
    _ deliver: @escaping (FixSourceEvent) -> Void,
    _ body: (inout SentenceReader, inout DeliveringSink) -> Void
  ) {
    var handler = DeliveringSink(sink: .placeholder, deliver: deliver)
    swap(&handler.sink, &sink)
    body(&reader, &handler)
    swap(&handler.sink, &sink)
  }

  /// The time at which to call ``completeOnSilence(at:deliver:)`` if no bytes arrive earlier.
  ///
  /// The value is `nil` while there is neither an open epoch nor a sky after it.
  public var silenceDeadline: MonotonicTime? { sink.assembler.silenceDeadline }

  /// Completes the open epoch if the silence deadline has passed.
  ///
  /// - Parameters:
  ///   - now: The current time of the clock used for ``decode(_:receivedAt:deliver:)``.
  ///   - deliver: Receives each event, in order.
  public mutating func completeOnSilence(
    at now: MonotonicTime, deliver: (FixSourceEvent) -> Void
  ) {
    if sink.assembler.completeOnSilence(at: now) { sink.deliverOutput(deliver) }
  }

  /// Completes the open epoch at the end of the input.
  public mutating func finish(deliver: (FixSourceEvent) -> Void) {
    withoutActuallyEscaping(deliver) { deliver in
      withHandler(deliver) { reader, handler in reader.finish(into: &handler) }
    }
    if sink.assembler.finish() { sink.deliverOutput(deliver) }
  }

  /// The counts so far.
  public var counters: NMEACounters {
    var counters = sink.counters
    counters.strayBytes = reader.framing.strayBytes
    counters.controlBytes = reader.framing.controlBytes
    counters.cutLines = reader.framing.overlongLines &+ reader.framing.brokenLines
    counters.lateReports = sink.assembler.lateReports
    counters.droppedMeasurements = sink.instruments.droppedMeasurements
    counters.repeatedEpochs = sink.assembler.repeatedEpochs
    return counters
  }

  /// The first refused lines and the first invalid fields in accepted sentences.
  ///
  /// Each text has the line number, the sentence, the field, the reason and the bytes.
  public var firstErrors: [String] { sink.errors.first.map(\.description) }
}
