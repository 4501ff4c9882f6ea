// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a plugin's queue when events arrive faster than the plugin processes them.
///
/// No policy blocks the sender.
public enum MailboxPolicy: Equatable, Hashable, Sendable {
  /// Keeps only the newest event of each type and subject, e.g. for displays of the current state.
  case keepNewest
  /// If the queue is full, drops and counts its oldest event.
  case dropOldest(limit: Int)
  /// If the queue is full, drops and counts the new event. A recorded track then has one gap, after
  /// the queued events, instead of many small gaps.
  case dropNewest(limit: Int)
  /// If the queue is full, drops the oldest event that is not an alert. Alerts are never dropped: if
  /// the queue contains only alerts, another alert makes the plugin fail permanently.
  case keepAlerts(limit: Int)

  /// The maximum number of waiting events, at least 1.
  public var limit: Int {
    switch self {
    // One event for each type and subject; the number of subjects is about the number of receivers.
    case .keepNewest: 256
    case .dropOldest(let limit), .dropNewest(let limit), .keepAlerts(let limit): max(limit, 1)
    }
  }

  /// Whether a restarted plugin receives the unprocessed events of its predecessor again.
  var redelivers: Bool {
    switch self {
    case .keepNewest, .dropOldest: false
    case .dropNewest, .keepAlerts: true
    }
  }
}

extension MailboxQueue {
  /// The result of ``send(_:at:)``.
  enum Outcome: Equatable, Sendable {
    /// The event was queued.
    case queued
    /// The event was queued, and another event was dropped.
    case replaced
    /// The event was dropped.
    case dropped
    /// The event was dropped although it is an alert and the policy drops no alerts.
    case overflow
  }
}
