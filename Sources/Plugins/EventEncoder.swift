// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning

/// Encodes events as compact JSON objects, one per line; reuses its buffer.
struct EventEncoder {
  private var line = JSONLine()
  private var deduplicator = ReportDeduplicator()

  /// Returns the lines of an event; empty for events that have no JSON representation, and for
  /// weather reports that were already encoded.
  mutating func encode(
    _ event: any PipelineEvent, now: MonotonicTime?, utcNow: UTCTime?
  ) -> [UInt8] {
    line.removeAll()
    if deduplicator.isDuplicate(event) { return [] }
    line.append(event, now: now, utcNow: utcNow)
    guard let value = (event as? EnrichedEvent)?.value,
      let findings = value.enrichment(of: ExecEnrichment.self)?.findings
    else { return line.bytes }
    return findings.reduce(line.bytes) { $0 + ExecLines.enriched($1, at: value.location) }
  }
}
