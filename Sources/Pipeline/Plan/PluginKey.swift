// SPDX-License-Identifier: Apache-2.0

/// The identity of a plugin across plans.
public struct PluginKey: Hashable, Sendable {
  /// The role of the plugin.
  public var role: PluginRole
  /// The name of the plugin.
  public var name: String
  /// The position among the plugins with the same role and name, starting at 0.
  public var ordinal: Int

  /// Creates a key.
  public init(_ role: PluginRole, _ name: String, ordinal: Int = 0) {
    self.role = role
    self.name = name
    self.ordinal = ordinal
  }
}
