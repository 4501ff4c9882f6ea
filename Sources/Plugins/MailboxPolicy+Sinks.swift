// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

extension MailboxPolicy {
  /// For what follows along: the newest 1024.
  static let following = MailboxPolicy.dropOldest(limit: 1024)

  /// For a track: an hour of locations at one a second, which is some megabytes while nothing can be
  /// written.
  static let track = MailboxPolicy.spill(limit: 3600)

  /// For what tells of trouble.
  static let alerts = MailboxPolicy.neverDrop(limit: 1024)
}
