// SPDX-License-Identifier: Apache-2.0

/// A rule that every plugin must follow; the raw value describes a breach.
public enum PluginRule: String, CaseIterable, Sendable {
  /// A plugin opens no files or connections before it runs.
  case opensNothingWhenMade = "opens files in its initializer"
  /// A plugin processes all its input, and then ends without a failure.
  case endsWithInput = "does not end cleanly with its input"
  /// A plugin ends when its task is cancelled.
  case endsWhenCancelled = "does not end when it is cancelled"
  /// A new instance of a plugin works while the pipeline is running.
  case worksAfterReplacement = "does not work after it is replaced while the pipeline is running"
  /// A plugin processes events at any rate, and all events that it does not receive are counted.
  case handlesBursts = "fails in a burst"
  /// A gate or stage delivers locations in the order in which it receives them.
  case keepsOrder = "delivers an older location after a newer one"
  /// A plugin does not retain its pipeline after the end of the run.
  case releasesPipeline = "retains its pipeline after the end"
}

/// A breach of a rule by a plugin.
public struct PluginBreach: Equatable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: PluginRule
  /// A description of the actual behavior.
  public var found: String

  /// The breach as one line.
  public var description: String { "\(rule.rawValue): \(found)" }
}
