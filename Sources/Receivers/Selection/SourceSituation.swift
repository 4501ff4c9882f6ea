// SPDX-License-Identifier: Apache-2.0

/// How a group of sources stands, for people.
public struct SourceSituation: Equatable, Sendable {
  /// Whether there is or was any receiver, or a server that was asked for.
  public var hadReceiver = false
  /// How often a source was started again after a failure.
  public var restartCount: UInt64 = 0
  /// Events that were dropped because the consumer was slow.
  public var droppedEventCount: UInt64 = 0
  /// What stands in the way of fixes, one line each with what to do.
  public var notices: [String] = []

  /// All that stands in the way, in one line; `nil` where nothing does.
  public var summary: String? {
    let parts = notices.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Makes the situation in which nothing is known.
  public init() {}

  /// The situation of a source that is its own receiver, such as a recording.
  public static var withReceiver: SourceSituation {
    var situation = SourceSituation()
    situation.hadReceiver = true
    return situation
  }
}
