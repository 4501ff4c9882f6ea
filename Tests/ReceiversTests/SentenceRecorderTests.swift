// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

@Suite("The raw sentences of a port")
struct SentenceRecorderTests {
  private func record(_ chunks: String..., into sentences: RawSentences) {
    let decoder = NMEADecoder(source: nil, pace: .live)
    var recorder = SentenceRecorder(decoder, into: sentences)
    for chunk in chunks {
      let bytes = Array(chunk.utf8)
      recorder.decode(bytes.span, receivedAt: nil) { _ in }
    }
  }

  @Test func `a recorder keeps complete lines that begin like a sentence, and no binary data`() {
    let sentences = RawSentences()
    record(
      "noise$GPT", "XT,1\r\n\u{1}\u{2}$GP\u{3}broken\r\n!AIVDM,1\r\ntext\r\n$",
      String(repeating: "x", count: 500) + "\r\n$GPTXT,open", into: sentences)
    #expect(sentences.newest == ["$GPTXT,1", "!AIVDM,1"])
  }

  @Test func `a recorder keeps a limited number of sentences, the newest last`() {
    let sentences = RawSentences()
    for number in 1...100 { record("$GPTXT,\(number)\r\n", into: sentences) }
    #expect(sentences.newest.count == RawSentences.limit)
    #expect(sentences.newest.last == "$GPTXT,100")
  }
}
