// SPDX-License-Identifier: Apache-2.0

/// A rule for every stream of a client; the raw value describes a breach.
public enum StreamRule: String, CaseIterable, Sendable {
  /// Each subscription begins with the current value, if the stream has one.
  case beginsWithCurrent = "does not begin with the current value"
  /// Each of two subscriptions receives all elements.
  case deliversToAll = "does not deliver an element to every subscription"
  /// A change is delivered only once.
  case deliversOnce = "delivers the same element twice"
  /// The end of one subscription does not affect others.
  case cancelKeepsOthers = "delivers nothing after another subscription has ended"
  /// A subscription that begins after others have ended receives elements.
  case deliversAgain = "delivers nothing to a later subscription"
  /// A subscription after a pause receives no stale element.
  case dropsStaleValue = "delivers a stale element after a pause"
  /// A stream ends when its task is cancelled, and then delivers nothing.
  case endsWithItsTask = "does not end when its task is cancelled"
  /// The source runs exactly while there are subscriptions.
  case runsWhileSubscribed = "does not run exactly while there are subscriptions"
}

/// A breach of a rule by a stream.
public struct StreamBreach: Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: StreamRule
  /// All elements that the subscription received.
  public var received: [String]

  /// The breach as one line.
  public var description: String { "\(rule.rawValue); received: \(received)" }
}
