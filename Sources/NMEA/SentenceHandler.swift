// SPDX-License-Identifier: Apache-2.0

/// Takes what a ``SentenceReader`` makes of the lines of a stream: exactly one call a line, and
/// one more for a sentence with a flaw.
///
/// A protocol and not a closure over an enumeration, so that a sentence is lent instead of copied
/// into yet another container.
public protocol SentenceHandler {
  /// Takes a sentence.
  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress)

  /// Takes the address of a sound sentence of a kind that is not read here.
  mutating func passOver(_ address: SentenceAddress)

  /// Takes an error: a line that was refused, or a field of the sentence taken just before that
  /// is not what it must be. That field is `nil` there and the others stand, because the checksum
  /// says that the receiver meant what it sent.
  ///
  /// - Parameter error: The error; ``SentenceError/isRefusal`` tells the two apart.
  mutating func report(_ error: SentenceError)
}
