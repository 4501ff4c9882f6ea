// SPDX-License-Identifier: Apache-2.0

/// Receives the sentences and errors of a ``SentenceReader``.
///
/// The reader makes one call for each line. For an accepted sentence with a malformed field, a call
/// of ``report(_:)`` follows. This is a protocol instead of a closure, so that the sentence can be
/// borrowed without a copy.
public protocol SentenceHandler {
  /// Receives a sentence.
  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress)

  /// Receives the address of a sentence with a valid checksum whose type is not supported.
  mutating func passOver(_ address: SentenceAddress)

  /// Receives the information that the next call is about a line without a checksum, which the
  /// options of the reader allow; does nothing by default.
  mutating func beginUncheckedLine()

  /// Receives an error.
  ///
  /// If ``SentenceError/isRefusal`` is true, the line was refused. Otherwise the error is about one
  /// field of the sentence that was just passed to ``take(_:from:)``. That field is `nil`; the
  /// other fields are valid.
  mutating func report(_ error: SentenceError)
}

extension SentenceHandler {
  /// Does nothing.
  public mutating func beginUncheckedLine() {}
}
