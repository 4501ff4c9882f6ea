// SPDX-License-Identifier: Apache-2.0

/// What a plugin's queue does when more comes in than the plugin takes out.
///
/// No policy ever blocks the sender.
public enum MailboxPolicy: Equatable, Hashable, Sendable {
  /// Keeps only the newest event of each kind and subject: for displays of the present.
  case keepNewest
  /// Drops the oldest events beyond the limit, and counts them.
  case dropOldest(limit: Int)
  /// Drops new events beyond the limit, and counts them: a track then has one gap at its end, not
  /// holes.
  case dropNewest(limit: Int)
  /// Drops the oldest event that is no alert to make room; an alert beyond the limit fails the plugin
  /// permanently, so that the loss of an alert is always reported.
  case neverDrop(limit: Int)

  /// The largest number of waiting events, at least 1.
  public var limit: Int {
    switch self {
    // One for each kind and subject: there are as many subjects as receivers.
    case .keepNewest: 256
    case .dropOldest(let limit), .dropNewest(let limit), .neverDrop(let limit): max(limit, 1)
    }
  }

  /// Whether a restarted plugin gets the events again that the one before could not deal with.
  var redelivers: Bool {
    switch self {
    case .keepNewest, .dropOldest: false
    case .dropNewest, .neverDrop: true
    }
  }
}
