// SPDX-License-Identifier: Apache-2.0

/// What a mailbox does when more comes in than is taken out.
///
/// Whoever puts something in is never held up, whatever the policy.
public enum MailboxPolicy: Equatable, Hashable, Sendable {
  /// Of each kind of event, and each subject, only the newest waits: for what shows the present.
  case keepNewest
  /// The oldest go, and are counted: for what follows along.
  case dropOldest(limit: Int)
  /// All wait, in order, up to the limit; what comes beyond it is turned away and counted.
  ///
  /// For what writes a track: a gap at the end, while nothing could be written, instead of holes.
  case spill(limit: Int)
  /// All wait, in order; an alert that would go beyond the limit fails the plugin, for good and
  /// aloud.
  ///
  /// For alerts: that they do not arrive any more must be known. What is none makes room for them,
  /// the oldest first, and is counted.
  case neverDrop(limit: Int)

  /// How many wait at most, at least 1.
  public var limit: Int {
    switch self {
    // One of each kind and subject: of the latter there are as many as there are receivers.
    case .keepNewest: 256
    case .dropOldest(let limit), .spill(let limit), .neverDrop(let limit): max(limit, 1)
    }
  }

  /// Whether what a plugin could not take is given to it again when it has been restarted.
  public var keepsRefused: Bool {
    switch self {
    case .keepNewest, .dropOldest: false
    case .spill, .neverDrop: true
    }
  }
}
