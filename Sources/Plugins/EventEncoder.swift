// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning

/// Writes events as compact JSON objects, one a line, with one buffer for all of them.
struct EventEncoder {
  private var line = JSONLine()
  private var told = ReportDeduplicator()

  /// The lines of an event; none for one of a kind that has no object, or that repeats another.
  mutating func encode(
    _ event: any PipelineEvent, now: MonotonicTime?, utcNow: UTCTime?
  ) -> [UInt8] {
    line.removeAll()
    if told.isRepetition(event) { return [] }
    line.append(event, now: now, utcNow: utcNow)
    guard let value = (event as? EnrichedEvent)?.value,
      let findings = value.found(ExecEnrichment.self)?.findings
    else { return line.bytes }
    return findings.reduce(line.bytes) { $0 + ExecLines.enriched($1, at: value.location) }
  }
}
