// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning
import Receivers

/// Tests one input of libFuzzer, of which the first two bytes define the ``Feed``.
///
/// - Parameters:
///   - data: The bytes of the input; may be `nil` if `count` is 0.
///   - count: The number of bytes.
/// - Returns: Always 0, so that libFuzzer may add the input to its corpus.
func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let data, count > 2 else { return 0 }
  let input = Span(_unsafeStart: data, count: count)
  let feed = Feed(flags: input[0], step: input[1])
  var bytes = input.indices.dropFirst(2).map { input[$0] }
  if feed.repairsChecksums { ChecksumRepair.repair(&bytes) }
  readSentences(bytes.span, feed)
  decode(bytes.span, feed, .live)
  decode(bytes.span, feed, .recorded)
  return 0
}

/// Parses the input in one piece and in chunks, which must have the same result.
private func readSentences(_ bytes: Span<UInt8>, _ feed: Feed) {
  var options = SentenceReader.Options()
  options.allowsMissingChecksum = feed.allowsMissingChecksum
  options.skipsComments = feed.skipsComments
  var whole = Tally()
  var reader = SentenceReader(options: options)
  reader.read(bytes, into: &whole)
  reader.finish(into: &whole)
  var pieces = Tally()
  var piecewise = SentenceReader(options: options)
  feed.forEachChunk(of: bytes) { chunk, _ in piecewise.read(chunk, into: &pieces) }
  piecewise.finish(into: &pieces)
  check(whole == pieces && reader.framing == piecewise.framing)
  let counters = reader.framing
  check(counters.strayBytes + counters.lostBytes + counters.skippedBytes <= UInt64(bytes.count))
}

/// Decodes the input to fixes and skies.
private func decode(_ bytes: Span<UInt8>, _ feed: Feed, _ pace: NMEADecoder.Pace) {
  var survey: RecordingSurvey?
  if pace == .recorded {
    survey = RecordingSurvey()
    feed.forEachChunk(of: bytes) { chunk, _ in survey?.read(chunk) }
  }
  var decoder = NMEADecoder(source: "fuzz", pace: pace, survey: survey)
  var events = 0
  feed.forEachChunk(of: bytes) { chunk, now in
    decoder.decode(chunk, receivedAt: feed.passesArrivalTimes ? now : nil) { _ in events &+= 1 }
    if let deadline = decoder.silenceDeadline, feed.completesOnSilence {
      decoder.completeOnSilence(at: deadline) { _ in events &+= 1 }
    }
    decoder.completeOnSilence(at: now) { _ in events &+= 1 }
  }
  decoder.finish { _ in events &+= 1 }
  // The number of events is limited by the number of bytes.
  check(events <= 4 * bytes.count)
  check(decoder.silenceDeadline == nil)
}

/// Stops the program if a condition is false, so that libFuzzer saves the input.
func check(_ condition: Bool) {
  if !condition { fatalError("condition is false") }
}
