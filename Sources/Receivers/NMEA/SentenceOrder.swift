// SPDX-License-Identifier: Apache-2.0

/// The sentences without a time that a receiver sends before the timed sentences of an epoch.
struct SentenceOrder: Equatable, Sendable {
  /// Whether GSA, and the GSV after it, belong to the timed sentences that follow.
  ///
  /// A GSV before the GSA is assigned to the previous epoch, since a GSV contains nothing that
  /// identifies its epoch.
  var gsaPrecedesTime = false
  /// Whether VTG belongs to the timed sentences that follow.
  var vtgPrecedesTime = false

  /// Whether GSA or VTG precedes the timed sentences.
  var hasPreceding: Bool { gsaPrecedesTime || vtgPrecedesTime }
}
