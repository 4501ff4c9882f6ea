// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Receivers

/// What a run has done, from the wire to the weather.
package struct RunSummary: Equatable, Sendable {
  /// What was read.
  package var input: NMEACounters
  /// What went through the pipeline.
  package var pipeline: PipelineCounters
  /// Locations that waited too long for the pipeline.
  package var droppedLocations: UInt64
  /// How the source ended, where it broke.
  package var sourceFailure: String?

  /// All that went wrong: lines refused, failures reported, and the source where it broke.
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
      "\(errors) errors" + (input.errors > 0 ? ", \(input.errors) of them lines refused" : ""),
    ]
    if pipeline.lookupsAbandoned > 0 {
      lines.append("the last place was not looked up: it came too soon after the lookup before")
    }
    let dropped = pipeline.dropped + droppedLocations
    if dropped > 0 { lines.append("\(dropped) dropped, because the output was too slow") }
    return lines.joined(separator: "\n")
  }
}
