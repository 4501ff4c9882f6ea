// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import Receivers

/// Decoding of truncated and damaged recordings of real receivers.
@Suite(.oneAtATime) struct CorpusRobustnessTests {
  private func decode(
    _ bytes: [UInt8], chunk: Int, pace: NMEADecoder.Pace = .recorded
  ) -> (events: [FixSourceEvent], counters: NMEACounters) {
    var survey = RecordingSurvey()
    if pace == .recorded { survey.read(bytes.span) }
    var decoder = NMEADecoder(source: "log", pace: pace, survey: survey)
    var events: [FixSourceEvent] = []
    var start = 0
    var now: Int64 = 0
    while start < bytes.count {
      let end = min(start + chunk, bytes.count)
      now += 20_000_000
      let time = pace == .live ? MonotonicTime(nanoseconds: now) : nil
      decoder.decode(bytes.span.extracting(start..<end), receivedAt: time) { events.append($0) }
      start = end
    }
    decoder.finish { events.append($0) }
    return (events, decoder.counters)
  }

  @Test(arguments: Corpus.logs)
  func `the result of decoding does not depend on the chunk size`(log: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: log))
    let whole = decode(bytes, chunk: bytes.count)
    for chunk in [1, 7, 97, 4096] {
      let pieces = decode(bytes, chunk: chunk)
      #expect(pieces.events == whole.events, "chunks of \(chunk)")
      #expect(pieces.counters == whole.counters, "chunks of \(chunk)")
    }
  }

  @Test(arguments: Corpus.logs)
  func `a recording truncated at any multiple of 97 bytes is decoded`(log: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: log))
    // A truncated log is a prefix, so one decoder is copied and finished at each position.
    var decoder = NMEADecoder(source: "log", pace: .recorded)
    var ignored = 0
    for start in stride(from: 0, to: bytes.count, by: 97) {
      let end = min(start + 97, bytes.count)
      decoder.decode(bytes.span.extracting(start..<end), receivedAt: nil) { _ in ignored += 1 }
      var cut = decoder
      cut.finish { _ in ignored += 1 }
      #expect(cut.counters.bytes == UInt64(end))
    }
  }

  @Test func `recordings with one damaged byte in 500 yield only valid coordinates`() throws {
    try #require(!Corpus.logs.isEmpty, Recording.absence)
    var generator = SeededGenerator(seed: 500)
    for log in Corpus.logs {
      var bytes = [UInt8](try Data(contentsOf: log))
      for index in bytes.indices where Int.random(in: 0..<500, using: &generator) == 0 {
        bytes[index] = .random(in: .min ... .max, using: &generator)
      }
      for pace in [NMEADecoder.Pace.recorded, .live] {
        let result = decode(bytes, chunk: 97, pace: pace)
        for case .fix(let fix) in result.events {
          #expect((fix.coordinate != nil) == (fix.mode > .none))
          #expect(abs(fix.coordinate?.latitudeDegrees ?? 0) <= 90)
        }
      }
    }
  }
}
