// SPDX-License-Identifier: Apache-2.0

/// Receives the sentences and errors of a ``SentenceReader``.
///
/// The reader makes exactly one call for each line, and a second one for a sentence with a
/// malformed field. A protocol, unlike a closure over an enumeration, lends the sentence without a
/// copy.
public protocol SentenceHandler {
  /// Receives a sentence.
  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress)

  /// Receives the address of a sentence with a valid checksum whose type is not supported.
  mutating func passOver(_ address: SentenceAddress)

  /// Receives an error.
  ///
  /// If ``SentenceError/isRefusal`` is true, the line was refused. Otherwise the error is about one
  /// field of the sentence passed to ``take(_:from:)`` just before. That field is `nil` in the
  /// sentence; the other fields are valid, because the checksum is.
  mutating func report(_ error: SentenceError)
}
