// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides when a line carries only a binary protocol and no NMEA.
struct BinaryWatch: Sendable {
  /// The time without a sentence after which binary frames are searched for.
  static let sentenceNanoseconds: Int64 = 5_000_000_000
  /// The duration of binary frames without sentences after which the line counts as binary only.
  ///
  /// Some receivers send one sentence per second between their binary frames.
  static let timeoutNanoseconds = BaudRateDetector.timeoutNanoseconds

  /// The number of bytes in complete frames, which do not count as noise in the detection of the
  /// baud rate.
  var framedByteCount: UInt64 { recognizer.framedByteCount }

  private var recognizer = BinaryRecognizer()
  private var sentences: UInt64 = 0
  private var sentenceAt: MonotonicTime?
  private var binarySince: MonotonicTime?

  /// The time until which the baud rate is kept because of binary frames; `nil` without frames.
  var holdDeadline: MonotonicTime? {
    binarySince?.advanced(byNanoseconds: 2 * Self.timeoutNanoseconds)
  }

  /// Processes the next bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - sentences: The number of valid sentences so far, including those in `bytes`.
  ///   - now: The arrival time of the bytes.
  /// - Returns: The protocol, once the line counts as binary only; otherwise `nil`.
  mutating func take(
    _ bytes: Span<UInt8>, sentences: UInt64, at now: MonotonicTime
  ) -> BinaryProtocol? {
    if sentences != self.sentences {
      self.sentences = sentences
      reset()
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
    return now.nanoseconds &- since.nanoseconds >= Self.timeoutNanoseconds ? found : nil
  }

  /// Clears the frames and times, for use after a sentence or a change of the baud rate.
  mutating func reset() {
    recognizer.reset()
    binarySince = nil
    sentenceAt = nil
  }
}
