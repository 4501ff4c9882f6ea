// SPDX-License-Identifier: Apache-2.0

/// The plugins of a pipeline: gates and stages in order, and sinks.
public struct PipelinePlan: Sendable {
  /// The plugins, with gates and stages in the order that locations pass them.
  public var plugins: [PluginSpecification]
  /// Whether the run ends when every sink has failed.
  ///
  /// True for interactive commands. False in the daemon, which continues because clients may
  /// connect later.
  public var endsWithoutSinks: Bool

  /// Creates a plan.
  public init(_ plugins: [PluginSpecification], endsWithoutSinks: Bool = false) {
    self.plugins = plugins
    self.endsWithoutSinks = endsWithoutSinks
  }

  /// The plugins with the keys that identify them in the next plan.
  var keyed: [(key: PluginKey, specification: PluginSpecification)] {
    var counts: [PluginKey: Int] = [:]
    return plugins.map { plugin in
      var key = PluginKey(plugin.role, plugin.name)
      let ordinal = counts[key, default: 0]
      counts[key] = ordinal + 1
      key.ordinal = ordinal
      return (key, plugin)
    }
  }

  /// Returns the changes that lead from this plan to another plan.
  public func changes(to other: PipelinePlan) -> PlanChanges {
    let before = Dictionary(keyed.map { ($0.key, $0.specification) }) { first, _ in first }
    var changes = PlanChanges()
    for (key, specification) in other.keyed {
      switch before[key] {
      case nil: changes.added.append(key)
      case let old? where specification.isCompatible(with: old): changes.kept.append(key)
      case _?: changes.replaced.append(key)
      }
    }
    let after = Set(other.keyed.map(\.key))
    changes.removed = keyed.map(\.key).filter { !after.contains($0) }
    return changes
  }
}
