// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// How one plugin stands, and what went through it.
public struct PluginStatus: Equatable, Sendable {
  /// How it stands.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// It works, or is about to end.
    case running
    /// It failed, and waits to be started again.
    case waiting
    /// It did not come back from a call, not even when it was told to stop; another is started when
    /// the call has returned.
    case blocked
    /// It is left out.
    case failed
    /// It has not begun, or has ended.
    case stopped
  }

  /// What it is.
  public var role: PluginRole
  /// Its name.
  public var name: String
  /// How it stands.
  public var state: State
  /// Whether the run ends when it is left out.
  public var isRequired: Bool
  /// Events that it was given.
  public var inCount: UInt64 = 0
  /// Events that it was not given, since it takes none such.
  public var passedOverCount: UInt64 = 0
  /// Events that it gave on or wrote.
  public var outCount: UInt64 = 0
  /// Events that it never got, or was given and did not deal with.
  public var droppedCount: UInt64 = 0
  /// How often it failed, or said that something had.
  public var errorCount: UInt64 = 0
  /// How often it was started after the first time.
  public var restartCount: UInt64 = 0
  /// How often it did not come back in time.
  public var timeoutCount: UInt64 = 0
  /// How many of its instances had to be left to themselves.
  public var abandonedCount: UInt64 = 0
  /// When the instance that blocks was told to stop at once; `nil` where none does.
  public var blockedSince: MonotonicTime?
  /// How many events wait before it.
  public var queueDepth = 0
  /// How many it has taken and laid by, to write them together.
  public var batchedCount = 0
  /// The most that ever waited.
  public var queueHighWater = 0
  /// The most that may wait.
  public var queueLimit = 0
  /// What went wrong last; `nil` for nothing so far.
  public var lastError: PluginError?
  /// When that was.
  public var lastErrorAt: MonotonicTime?
  /// When it last was done with an event; `nil` for never.
  ///
  /// Of a stage, when it last gave one on, whether it had found anything out or not: one that gives
  /// on what it got no answer about, as a program that is asked does, tells that by its errors alone.
  public var lastSuccessAt: MonotonicTime?

  /// Makes a status at zero.
  ///
  /// - Parameters:
  ///   - role: What it is.
  ///   - name: Its name.
  ///   - state: How it stands.
  ///   - isRequired: Whether the run ends when it is left out.
  public init(role: PluginRole, name: String, state: State, isRequired: Bool = false) {
    self.role = role
    self.name = name
    self.state = state
    self.isRequired = isRequired
  }
}
