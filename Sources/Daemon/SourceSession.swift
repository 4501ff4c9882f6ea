// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import Receivers

/// A source with its counters and its status.
package struct SourceSession: Sendable {
  package var source: any FixSource

  package init(_ source: any FixSource) { self.source = source }

  /// The source's input counters; all zero for a source without counters.
  package var counters: NMEACounters {
    (source as? any NMEACounting)?.counters ?? NMEACounters()
  }

  /// The state of the receivers, and the reasons for missing fixes.
  package var diagnosis: SourceDiagnosis {
    (source as? SourceGroup)?.diagnosis ?? .withReceiver
  }
}
