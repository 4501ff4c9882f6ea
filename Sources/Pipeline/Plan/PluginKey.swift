// SPDX-License-Identifier: Apache-2.0

/// By what a plugin is found again in the next plan.
public struct PluginKey: Hashable, Sendable {
  /// What it is.
  public var role: PluginRole
  /// Its name.
  public var name: String
  /// Which of those of its role and name, from 0 on.
  public var ordinal: Int

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - role: What it is.
  ///   - name: Its name.
  ///   - ordinal: Which of those of its role and name.
  public init(_ role: PluginRole, _ name: String, ordinal: Int = 0) {
    self.role = role
    self.name = name
    self.ordinal = ordinal
  }
}
