// SPDX-License-Identifier: Apache-2.0

/// The differences between two plans.
public struct PlanChanges: Equatable, Sendable {
  /// Plugins that continue unchanged.
  public var kept: [PluginKey] = []
  /// Plugins that get a new instance, which inherits the queue.
  public var replaced: [PluginKey] = []
  /// Plugins that are only in the new plan.
  public var added: [PluginKey] = []
  /// Plugins that are only in the old plan; they end after emptying their queues.
  public var removed: [PluginKey] = []

  /// Creates an empty set of changes.
  public init() {}

  /// Whether all plugins continue unchanged.
  public var isEmpty: Bool { replaced.isEmpty && added.isEmpty && removed.isEmpty }
}
