// SPDX-License-Identifier: Apache-2.0

/// A rule that every plugin must follow.
public enum PluginRule: CaseIterable, Sendable {
  /// A plugin opens no files or connections before it runs.
  case opensNothingWhenMade
  /// A plugin processes all its input, and then ends without a failure.
  case endsWithInput
  /// A plugin ends when its task is cancelled.
  case endsWhenCancelled
  /// A new instance of a plugin works while the pipeline is running.
  case worksAfterReplacement
  /// A plugin processes events at any rate, and all events that it does not receive are counted.
  case handlesBursts
  /// A gate or stage delivers locations in the order in which it receives them.
  case keepsOrder
  /// A plugin does not retain its pipeline after the end of the run.
  case releasesPipeline

  /// What a plugin does that breaks the rule.
  public var breach: String {
    switch self {
    case .opensNothingWhenMade: "opens files in its initializer"
    case .endsWithInput: "does not end cleanly with its input"
    case .endsWhenCancelled: "does not end when it is cancelled"
    case .worksAfterReplacement: "does not work after it is replaced while the pipeline is running"
    case .handlesBursts: "fails in a burst"
    case .keepsOrder: "delivers an older location after a newer one"
    case .releasesPipeline: "retains its pipeline after the end"
    }
  }
}

/// A breach of a rule by a plugin.
public struct PluginBreach: Equatable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: PluginRule
  /// A description of the actual behavior.
  public var observation: String

  /// The breach as one line.
  public var description: String { "\(rule.breach): \(observation)" }
}
