// SPDX-License-Identifier: Apache-2.0

/// A rule that every plugin keeps to, whatever it does.
public enum PluginRule: String, CaseIterable, Sendable {
  /// It opens nothing before it runs.
  case opensNothingWhenMade = "opens something when it is made"
  /// It ends when its input does, is done then with what it was given, and says of nothing that it
  /// failed.
  case endsWithInput = "does not end in order with its input"
  /// It ends when its task is cancelled.
  case endsWhenCancelled = "does not end when it is cancelled"
  /// An instance that comes after another works as the first did.
  case worksAgain = "does not work when it is replaced while it runs"
  /// It takes what it is given as fast as it comes, or what it does not get is counted.
  case bearsBursts = "fails in a burst"
  /// A gate or a stage gives on nothing older after what is newer, of what its mailbox gives it of a
  /// burst.
  case keepsOrder = "gives on what is older after what is newer"
  /// It does not keep its pipeline when that is over.
  case leavesNothing = "keeps its pipeline when that is gone"
}

/// A rule that a plugin breaks.
public struct PluginBreach: Equatable, Sendable, CustomStringConvertible {
  /// Which.
  public var rule: PluginRule
  /// What was found instead.
  public var found: String

  /// The breach in a sentence.
  public var description: String { "\(rule.rawValue): \(found)" }
}
