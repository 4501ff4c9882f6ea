// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning
import Receivers

/// The function that libFuzzer calls: the first two bytes say how the rest is fed.
///
/// - Parameters:
///   - data: The bytes; none where `count` is 0.
///   - count: How many.
/// - Returns: 0, always: every input is one to learn from.
@c
func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let data, count > 2 else { return 0 }
  let input = Span(_unsafeStart: data, count: count)
  let feed = Feed(flags: input[0], step: input[1])
  var bytes = input.indices.dropFirst(2).map { input[$0] }
  if feed.mendsChecksums { Mending.mend(&bytes) }
  readSentences(bytes.span, feed)
  decode(bytes.span, feed, .live)
  decode(bytes.span, feed, .recorded)
  return 0
}

/// Framing and parsing, whole and in pieces: both must give the same.
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

/// The rest of the way, to fixes and skies.
private func decode(_ bytes: Span<UInt8>, _ feed: Feed, _ pace: NMEADecoder.Pace) {
  var survey: RecordingSurvey?
  if pace == .recorded {
    survey = RecordingSurvey()
    feed.forEachChunk(of: bytes) { chunk, _ in survey?.read(chunk) }
  }
  var decoder = NMEADecoder(source: "fuzz", pace: pace, survey: survey)
  var events = 0
  feed.forEachChunk(of: bytes) { chunk, now in
    decoder.decode(chunk, receivedAt: feed.knowsTimes ? now : nil) { _ in events &+= 1 }
    if let deadline = decoder.silenceDeadline, feed.waits {
      decoder.completeOnSilence(at: deadline) { _ in events &+= 1 }
    }
    decoder.completeOnSilence(at: now) { _ in events &+= 1 }
  }
  decoder.finish { _ in events &+= 1 }
  // A fix and a sky for each epoch, and none without a byte.
  check(events <= 4 * bytes.count)
  check(decoder.silenceDeadline == nil)
}

/// Stops where something does not hold, so that libFuzzer keeps the input.
func check(_ condition: Bool) {
  if !condition { fatalError("does not hold") }
}
