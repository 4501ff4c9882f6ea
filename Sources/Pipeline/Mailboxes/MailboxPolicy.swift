// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a plugin's queue when events arrive faster than the plugin processes them.
///
/// No policy blocks the sender.
public enum MailboxPolicy: Equatable, Hashable, Sendable {
  /// Keeps only the newest event of each type and subject, e.g. for displays of the current state.
  case keepNewest
  /// Drops the oldest events beyond the limit, and counts them.
  case dropOldest(limit: Int)
  /// Drops new events beyond the limit, and counts them. A recorded track then has one gap at its
  /// end instead of many small ones.
  case dropNewest(limit: Int)
  /// Drops the oldest event that is not an alert. If only alerts wait, another alert fails the
  /// plugin permanently, so that the loss of an alert is always reported.
  case neverDrop(limit: Int)

  /// The maximum number of waiting events, at least 1.
  public var limit: Int {
    switch self {
    // One event for each type and subject; the number of subjects is about the number of receivers.
    case .keepNewest: 256
    case .dropOldest(let limit), .dropNewest(let limit), .neverDrop(let limit): max(limit, 1)
    }
  }

  /// Whether a restarted plugin receives the unprocessed events of its predecessor again.
  var redelivers: Bool {
    switch self {
    case .keepNewest, .dropOldest: false
    case .dropNewest, .neverDrop: true
    }
  }
}
