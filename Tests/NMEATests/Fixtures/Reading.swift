// SPDX-License-Identifier: Apache-2.0

import NMEA

/// The output of a reader for an input.
struct Reading: Equatable {
  var events: [Event]
  var framing: LineFramer.Counters

  /// Reads the input, split at the given offsets.
  init(
    _ bytes: [UInt8], cutAt cuts: [Int] = [], options: SentenceReader.Options = .init(),
    finishing: Bool = true
  ) {
    var reader = SentenceReader(options: options)
    var recorder = Recorder()
    for chunk in bytes.chunks(cutAt: cuts) { reader.read(chunk.span, into: &recorder) }
    if finishing { reader.finish(into: &recorder) }
    events = recorder.events
    framing = reader.framing
  }

  init(_ text: String, options: SentenceReader.Options = .init()) {
    self.init([UInt8](text.utf8), options: options)
  }

  /// The parsed sentences.
  var sentences: [Sentence] {
    events.compactMap { if case .sentence(let sentence, _) = $0 { sentence } else { nil } }
  }

  /// The addresses of the parsed sentences.
  var addresses: [String] {
    events.compactMap { if case .sentence(_, let address) = $0 { "\(address)" } else { nil } }
  }

  /// The addresses of the unsupported sentences.
  var unsupported: [String] {
    events.compactMap { if case .unsupported(let address) = $0 { "\(address)" } else { nil } }
  }

  /// The errors.
  var errors: [SentenceError] {
    events.compactMap { if case .error(let error) = $0 { error } else { nil } }
  }
}

extension SentenceReader.Options {
  init(allowsMissingChecksum: Bool, skipsComments: Bool = false) {
    self.init()
    self.allowsMissingChecksum = allowsMissingChecksum
    self.skipsComments = skipsComments
  }

  /// All combinations of options.
  static var all: [SentenceReader.Options] {
    [false, true].flatMap { missing in
      [false, true].map { .init(allowsMissingChecksum: missing, skipsComments: $0) }
    }
  }
}

extension [UInt8] {
  /// Splits the bytes at the given offsets, which must be in ascending order.
  func chunks(cutAt cuts: [Int]) -> [[UInt8]] {
    let ends = cuts + [count]
    return zip([0] + cuts, ends).map { Array(self[$0..<$1]) }
  }
}
