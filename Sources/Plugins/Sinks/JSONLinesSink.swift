// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Pipeline
internal import Positioning
internal import WeatherFeature

/// Writes each event as one compact JSON object a line, under gpsd's names where gpsd has them.
public actor JSONLinesSink: Sink {
  /// The catalogue's entry.
  public static let plugin = SinkPlugin(
    name: "jsonlines", summary: "one JSON object a line, as gpsd's where gpsd has one",
    make: { JSONLinesSink($0) })

  /// The name it is reported under.
  public nonisolated var name: String { Self.plugin.name }
  private let context: SinkContext
  private var line = JSONLine()

  /// Makes a sink.
  ///
  /// - Parameter context: Where it writes.
  public init(_ context: SinkContext) { self.context = context }

  /// Writes an event.
  ///
  /// - Parameter event: The event; one of a kind not known here is passed over.
  /// - Throws: Where nothing more can be written.
  public func receive(_ event: any PipelineEvent) async throws {
    line.removeAll()
    let now = context.isLive ? context.now() : nil
    switch event {
    case let event as LocationEvent: line.appendTPV(Fix(event.location), now: now)
    case let event as NoFixEvent: line.appendTPV(event.fix, now: now)
    case let event as SkyEvent: line.appendSKY(event.sky, device: event.device)
    case let event as EnrichedEvent:
      line.appendWEATHER(event.value, now: context.isLive ? context.utcNow() : nil)
    case let event as OutlookEvent:
      // What is fresh has been told as it came.
      if event.outlook.ladder.best?.rung != .fresh { line.appendWEATHER(event.outlook) }
    case let event as PathEvent: line.appendPATH(event.path)
    case let event as GateEvent: line.appendGATE(event)
    case let event as AuthorizationEvent: line.appendAUTH(event.authorization)
    case let event as ErrorEvent: line.appendERROR(event)
    case SourceEvent.receiver(let receiver) as SourceEvent:
      line.appendDEVICE(receiver, now: context.isLive ? context.utcNow() : nil)
    case let event as SourceEvent: if let error = event.error { line.appendERROR(error) }
    default: return
    }
    if !line.bytes.isEmpty { try context.write(line.bytes) }
  }
}
