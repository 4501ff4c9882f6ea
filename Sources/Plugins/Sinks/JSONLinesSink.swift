// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Pipeline
internal import Positioning

/// Writes each event as one compact JSON object a line, under gpsd's names where gpsd has them.
public actor JSONLinesSink: Sink {
  /// The catalogue's entry.
  public static let plugin = SinkPlugin(
    name: "jsonlines", summary: "one JSON object a line, as gpsd's where gpsd has one",
    make: { JSONLinesSink($0) })

  /// The name it is reported under.
  public nonisolated var name: String { Self.plugin.name }
  private let context: SinkContext
  private var encoder = EventEncoder()

  /// Makes a sink.
  ///
  /// - Parameter context: Where it writes.
  public init(_ context: SinkContext) { self.context = context }

  /// Writes an event.
  ///
  /// - Parameter event: The event; one of a kind not known here is passed over.
  /// - Throws: Where nothing more can be written.
  public func receive(_ event: any PipelineEvent) async throws {
    let bytes = encoder.encode(
      event, now: context.isLive ? context.now() : nil,
      utcNow: context.isLive ? context.utcNow() : nil)
    if !bytes.isEmpty { try context.write(bytes) }
  }
}
