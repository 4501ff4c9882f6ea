// SPDX-License-Identifier: Apache-2.0

/// The sentences without a time that a receiver sends ahead of those with one.
struct SentenceOrder: Equatable, Sendable {
  /// Whether GSA, and the GSV behind it, belong to the timed sentences that follow.
  ///
  /// GSV ahead of GSA counts to the epoch before: no value in it shows where it belongs.
  var gsaPrecedesTime = false
  /// Whether VTG belongs to the timed sentences that follow.
  var vtgPrecedesTime = false

  /// Whether any of them precedes the timed sentences.
  var hasPreceding: Bool { gsaPrecedesTime || vtgPrecedesTime }
}
