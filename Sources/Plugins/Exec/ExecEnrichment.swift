// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// What programs found out about a location.
package struct ExecEnrichment: Enrichment, Equatable {
  /// What one of them found out.
  package struct Finding: Equatable, Sendable {
    /// The name of the plugin.
    package var source: String
    /// What it found out, as JSON on one line.
    package var json: [UInt8]
  }

  /// What each found out, in the order of the stages.
  package var findings: [Finding] = []
}
