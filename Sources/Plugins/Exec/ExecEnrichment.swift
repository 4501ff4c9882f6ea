// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// The data that external programs returned for a location.
package struct ExecEnrichment: Enrichment, Equatable {
  /// The data from one program.
  package struct Finding: Equatable, Sendable {
    /// The name of the plugin.
    package var source: String
    /// The data, as JSON on one line.
    package var json: [UInt8]
  }

  /// The data from all programs, in the order of the stages.
  package var findings: [Finding] = []
}
