// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Receivers

/// Counters of a run: input, processed events and weather lookups.
package struct RunSummary: Equatable, Sendable {
  /// Counters of the source's input.
  package var input: NMEACounters
  package var pipeline: PipelineCounters
  /// Number of locations dropped because the pipeline was too slow.
  package var droppedLocations: UInt64
  /// The error that stopped the source; `nil` if the source did not fail.
  package var sourceFailure: String?

  /// The number of bad lines plus the number of pipeline errors, plus 1 if the source failed.
  package var errors: UInt64 {
    input.errors &+ pipeline.errors &+ (sourceFailure == nil ? 0 : 1)
  }

  /// The summary in a few lines.
  package var text: String {
    var lines = [
      "\(input.sentences) sentences, \(input.epochs) epochs, \(input.fixes) fixes, "
        + "\(pipeline.locations) locations",
      "\(pipeline.lookupsAsked) weather lookups started, \(pipeline.lookupsAnswered) answered, "
        + "\(pipeline.lookupsFailed) failed"
        + (pipeline.lookupsPostponed > 0 ? ", \(pipeline.lookupsPostponed) postponed" : "")
        + "; \(pipeline.held) locations held",
      "\(errors) errors",
    ]
    if input.lines.lineCount > 0 { lines.append("received \(input.lines.text)") }
    if pipeline.lookupsAbandoned > 0 {
      lines.append("the last weather lookup was skipped: too soon after the previous one")
    }
    let dropped = pipeline.dropped + droppedLocations
    if dropped > 0 { lines.append("\(dropped) dropped, because the output was too slow") }
    return lines.joined(separator: "\n")
  }
}
