// SPDX-License-Identifier: Apache-2.0

/// What a plugin is in a pipeline.
public enum PluginRole: String, CaseIterable, Hashable, Sendable {
  /// Passes or holds.
  case gate
  /// Enriches.
  case stage
  /// The end of the way.
  case sink
}
