// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides when a line is one that speaks only a binary protocol.
struct BinaryWatch: Sendable {
  /// So long a line must have had no sentence: a banner at power-on is no protocol.
  static let sentenceNanoseconds: Int64 = 5_000_000_000
  /// Some send a sentence a second amid their binary frames.
  static let patienceNanoseconds = BaudRateDetector.patienceNanoseconds

  /// The bytes of whole frames, ever: they are no noise, and no reason to try another speed.
  var framedByteCount: UInt64 { recognizer.framedByteCount }

  private var recognizer = BinaryRecognizer()
  private var sentences: UInt64 = 0
  private var sentenceAt: MonotonicTime?
  private var binarySince: MonotonicTime?

  /// Until when this speed is kept, for frames have come at it; `nil` where none have.
  var holdDeadline: MonotonicTime? {
    binarySince?.advanced(byNanoseconds: 2 * Self.patienceNanoseconds)
  }

  /// Takes the next bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - sentences: All valid sentences so far, those in the bytes too.
  ///   - now: When the bytes came.
  /// - Returns: The protocol, once it is certain that nothing else comes.
  mutating func take(
    _ bytes: Span<UInt8>, sentences: UInt64, at now: MonotonicTime
  ) -> BinaryProtocol? {
    if sentences != self.sentences {
      self.sentences = sentences
      forget()
      sentenceAt = now
    }
    if let sentenceAt,
      now.nanoseconds &- sentenceAt.nanoseconds < Self.sentenceNanoseconds
    {
      return nil
    }
    recognizer.take(bytes)
    guard let found = recognizer.recognized else { return nil }
    let since = binarySince ?? now
    binarySince = since
    return now.nanoseconds &- since.nanoseconds >= Self.patienceNanoseconds ? found : nil
  }

  /// Begins anew: the speed has changed.
  mutating func forget() {
    recognizer.reset()
    binarySince = nil
    sentenceAt = nil
  }
}
