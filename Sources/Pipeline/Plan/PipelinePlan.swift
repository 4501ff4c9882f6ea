// SPDX-License-Identifier: Apache-2.0

/// Which plugins a pipeline has: gates and stages in their order, and sinks.
public struct PipelinePlan: Sendable {
  /// The plugins; the order counts among gates and among stages.
  public var plugins: [PluginSpecification]
  /// Whether the run ends when every sink is left out: where somebody watches, and not in a daemon,
  /// whose clients come and go.
  public var endsWithoutSinks: Bool

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - plugins: The plugins.
  ///   - endsWithoutSinks: Whether the run ends when every sink is left out.
  public init(_ plugins: [PluginSpecification], endsWithoutSinks: Bool = false) {
    self.plugins = plugins
    self.endsWithoutSinks = endsWithoutSinks
  }

  /// The plugins with what each is found again by.
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

  /// What leads from this plan to another.
  ///
  /// - Parameter other: The other plan.
  /// - Returns: Who goes on, who is replaced, who is new and who goes, each in the order of its plan.
  public func changes(to other: PipelinePlan) -> PlanChanges {
    let before = Dictionary(keyed.map { ($0.key, $0.specification) }) { first, _ in first }
    var changes = PlanChanges()
    for (key, specification) in other.keyed {
      switch before[key] {
      case nil: changes.added.append(key)
      case let old? where specification.isServed(by: old): changes.kept.append(key)
      case _?: changes.replaced.append(key)
      }
    }
    let after = Set(other.keyed.map(\.key))
    changes.removed = keyed.map(\.key).filter { !after.contains($0) }
    return changes
  }
}
