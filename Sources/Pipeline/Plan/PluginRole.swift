// SPDX-License-Identifier: Apache-2.0

/// The role of a plugin in a pipeline.
public enum PluginRole: String, CaseIterable, Hashable, Sendable {
  /// Passes or holds locations.
  case gate
  /// Enriches locations.
  case stage
  /// Prints, writes or sends events.
  case sink
}
