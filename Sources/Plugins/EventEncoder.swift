// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning

/// Encodes events as compact JSON objects, one per line; reuses its buffer.
struct EventEncoder {
  private var line = JSONLine()
  private var deduplicator = ReportDeduplicator()
  private var selection: EventSelection

  init(_ selection: EventSelection = EventSelection()) { self.selection = selection }

  /// Returns the lines of an event; empty for events that are not selected or have no JSON
  /// representation, and for weather reports that were already encoded.
  mutating func encode(
    _ event: any PipelineEvent, now: MonotonicTime?, utcNow: UTCTime?
  ) -> [UInt8] {
    line.removeAll()
    guard selection.takes(event), !deduplicator.isDuplicate(event) else { return [] }
    if event is LocationEvent || event is NoFixEvent {
      if selection.includes(.heading), let heading = heading(of: event) { line.appendATT(heading) }
      if selection.includes(.position) { line.append(event, now: now, utcNow: utcNow) }
      return line.bytes
    }
    guard let value = (event as? EnrichedEvent)?.value else {
      line.append(event, now: now, utcNow: utcNow)
      return line.bytes
    }
    if selection.includes(.weather) { line.append(event, now: now, utcNow: utcNow) }
    guard selection.includes(.enriched),
      let findings = value.enrichment(of: ExecEnrichment.self)?.findings
    else { return line.bytes }
    return findings.reduce(line.bytes) { $0 + ExecLines.enriched($1, at: value.location) }
  }

  /// Returns the heading of an epoch with or without a position; `nil` if it is unknown.
  private func heading(of event: any PipelineEvent) -> Heading? {
    (event as? LocationEvent)?.location.heading
      ?? (event as? NoFixEvent).flatMap { Heading($0.fix) }
  }
}
