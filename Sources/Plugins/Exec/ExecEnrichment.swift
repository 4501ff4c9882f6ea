// SPDX-License-Identifier: Apache-2.0

public import Pipeline

/// What programs found out about a location.
public struct ExecEnrichment: Enrichment, Equatable {
  /// What one of them found out.
  public struct Finding: Equatable, Sendable {
    /// The name of the plugin.
    public var source: String
    /// What it found out, as JSON on one line.
    public var json: [UInt8]
  }

  /// What each found out, in the order of the stages.
  public var findings: [Finding] = []
}
