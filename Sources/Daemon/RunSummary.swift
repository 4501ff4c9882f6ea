// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Receivers

/// Counts of what a run read, processed and looked up.
package struct RunSummary: Equatable, Sendable {
  /// Counts of the source's input.
  package var input: NMEACounters
  package var pipeline: PipelineCounters
  /// Number of locations dropped because the pipeline was too slow.
  package var droppedLocations: UInt64
  /// The error that ended the source; `nil` if it did not fail.
  package var sourceFailure: String?

  /// Number of invalid lines, errors in the pipeline, and 1 if the source failed.
  package var errors: UInt64 {
    input.errors &+ pipeline.errors &+ (sourceFailure == nil ? 0 : 1)
  }

  /// The summary in a few lines.
  package var text: String {
    var lines = [
      "\(input.sentences) sentences, \(input.epochs) epochs, \(input.fixes) fixes, "
        + "\(pipeline.locations) locations",
      "\(pipeline.lookupsAsked) weather lookups asked, \(pipeline.lookupsAnswered) answered, "
        + "\(pipeline.lookupsFailed) failed"
        + (pipeline.lookupsPostponed > 0 ? ", \(pipeline.lookupsPostponed) postponed" : "")
        + "; \(pipeline.held) locations held",
      "\(errors) errors" + (input.errors > 0 ? ", \(input.errors) of them invalid lines" : ""),
    ]
    if pipeline.lookupsAbandoned > 0 {
      lines.append("the last weather lookup was skipped: too soon after the previous one")
    }
    let dropped = pipeline.dropped + droppedLocations
    if dropped > 0 { lines.append("\(dropped) dropped, because the output was too slow") }
    return lines.joined(separator: "\n")
  }
}
