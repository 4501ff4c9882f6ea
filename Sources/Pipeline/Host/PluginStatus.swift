// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The state and counts of one plugin.
public struct PluginStatus: Equatable, Sendable {
  /// The state of a plugin.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// An instance is running or is about to end.
    case running
    /// The plugin has failed and is waiting to be restarted, or a sink does not deliver.
    case waiting
    /// A cancelled call has not returned. The plugin restarts when the call returns.
    case blocked
    /// The plugin failed permanently; only new settings restart it.
    case failed
    /// The plugin has not started or has ended.
    case stopped
  }

  /// The role of the plugin.
  public var role: PluginRole
  /// The name of the plugin.
  public var name: String
  /// The state of the plugin.
  public var state: State
  /// The reason for the state; `nil` for a plugin that runs or has stopped.
  public var reason: String?
  /// The time since which the plugin has been in this state; `nil` before its start.
  public var since: MonotonicTime?
  /// Whether the run ends if the plugin fails permanently.
  public var isRequired: Bool
  /// Events that the plugin received.
  public var inCount: UInt64 = 0
  /// Events that the plugin's `takes` filter rejected.
  public var skippedCount: UInt64 = 0
  /// Events that the plugin forwarded or wrote.
  public var outCount: UInt64 = 0
  /// Events that the plugin did not receive or did not complete.
  public var droppedCount: UInt64 = 0
  /// Failures of the plugin and errors that it reported.
  public var errorCount: UInt64 = 0
  /// Starts of the plugin, except the first.
  public var restartCount: UInt64 = 0
  /// Calls that exceeded their deadline.
  public var timeoutCount: UInt64 = 0
  /// Instances that were abandoned because their call did not return after a cancel.
  public var abandonedCount: UInt64 = 0
  /// The time at which the blocked instance was cancelled; `nil` if no instance is blocked.
  public var blockedSince: MonotonicTime?
  /// Events that are waiting in the queue.
  public var queueDepth = 0
  /// Events that the sink has received but not delivered to its destination.
  public var undeliveredCount = 0
  /// The time of the oldest event that waits anywhere; `nil` if no event waits.
  public var oldestAt: MonotonicTime?
  /// Events that the plugin has received and batched for writing.
  public var batchedCount = 0
  /// The largest number of waiting events so far.
  public var queueHighWater = 0
  /// The maximum number of waiting events.
  public var queueLimit = 0
  /// The last error; `nil` if no error has occurred.
  public var lastError: PluginError?
  /// The time of the last error.
  public var lastErrorAt: MonotonicTime?
  /// The time at which the plugin last completed an event; `nil` before the first completed event.
  ///
  /// For a stage: the time at which the stage last forwarded a location, enriched or not. A failed
  /// lookup, such as an unanswered request to an external program, affects only the error counts.
  public var lastSuccessAt: MonotonicTime?

  /// Events that wait in the queue, in a batch or for their delivery.
  public var waitingCount: Int { queueDepth + batchedCount + undeliveredCount }

  /// Creates a status with all counts at zero.
  public init(role: PluginRole, name: String, state: State, isRequired: Bool = false) {
    self.role = role
    self.name = name
    self.state = state
    self.isRequired = isRequired
  }
}
