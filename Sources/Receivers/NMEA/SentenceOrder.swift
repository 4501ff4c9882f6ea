// SPDX-License-Identifier: Apache-2.0

/// The meaning of sentences without a time, according to their place in a recording.
struct SentenceOrder: Equatable, Sendable {
  /// Whether GSA, and the GSV after it, belong to the timed sentences that follow.
  ///
  /// A GSV before the GSA is assigned to the previous epoch, unless ``gapPrecedesTime`` is true: a
  /// GSV contains nothing that identifies its epoch.
  var gsaPrecedesTime = false
  /// Whether VTG belongs to the timed sentences that follow.
  var vtgPrecedesTime = false
  /// Whether all sentences without a time between two epochs belong to the timed sentences that
  /// follow.
  var gapPrecedesTime = false

  /// Whether sentences without a time that state "no solution" are of a second receiver on the line,
  /// which has no position while the first receiver has one.
  var hasVoidReceiver = false

  /// Whether sentences without a time precede the timed sentences.
  var hasPreceding: Bool { gsaPrecedesTime || vtgPrecedesTime || gapPrecedesTime }
}
