// SPDX-License-Identifier: Apache-2.0

/// What leads from one plan to the next.
public struct PlanChanges: Equatable, Sendable {
  /// Those that go on untouched.
  public var kept: [PluginKey] = []
  /// Those of which another instance is made; what waits before them stays.
  public var replaced: [PluginKey] = []
  /// Those that begin.
  public var added: [PluginKey] = []
  /// Those that end, when they are done with what waits before them.
  public var removed: [PluginKey] = []

  /// Makes changes that change nothing.
  public init() {}

  /// Whether everything goes on untouched.
  public var isEmpty: Bool { replaced.isEmpty && added.isEmpty && removed.isEmpty }
}
