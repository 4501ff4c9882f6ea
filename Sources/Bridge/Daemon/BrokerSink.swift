// SPDX-License-Identifier: Apache-2.0

internal import Broker
internal import Pipeline
internal import Plugins
internal import Positioning
internal import WeatherFeature

/// Takes what the pipeline finds out to the daemon's clients.
///
/// Fixes and skies do not come this way: each client's own authorization decides on those, from what
/// the source says and not from what the daemon itself may know.
actor BrokerSink: Sink {
  static let sinkName = "clients"
  nonisolated let name = BrokerSink.sinkName
  private let broker: BrokerServer
  private let utcNow: @Sendable () -> UTCTime?

  init(_ broker: BrokerServer, utcNow: @escaping @Sendable () -> UTCTime?) {
    self.broker = broker
    self.utcNow = utcNow
  }

  func receive(_ event: any PipelineEvent) async throws {
    guard let object = object(for: event) else { return }
    broker.publish(.object(object))
  }

  /// What clients are told of an event, and which of them.
  func object(for event: any PipelineEvent) -> BrokerObject? {
    var line = JSONLine()
    switch event {
    case let event as EnrichedEvent:
      line.appendWEATHER(event.value, now: utcNow())
      // The weather of a cell says which cell it is: two decimals are finer than what is reduced.
      return object("WEATHER", line, for: .fullAccuracy, kept: true)
    case let event as OutlookEvent:
      line.appendWEATHER(event.outlook)
      return object("WEATHER", line, for: .fullAccuracy, kept: true)
    case let event as PathEvent:
      line.appendPATH(event.path)
      return object("PATH", line, for: .authorized, kept: true)
    case let event as GateEvent:
      line.appendGATE(event)
      return object("GATE", line, for: .fullAccuracy, kept: false)
    case let event as ErrorEvent:
      line.appendERROR(event)
      // An error may name a place, as in the address that a provider was asked at.
      return object("ERROR", line, for: .fullAccuracy, kept: false)
    case SourceEvent.receiver(let receiver) as SourceEvent:
      line.appendDEVICE(receiver, now: utcNow())
      return object("DEVICE", line, for: .authorized, kept: true)
    default: return nil
    }
  }

  private func object(
    _ name: String, _ line: JSONLine, for audience: BrokerObject.Audience, kept: Bool
  ) -> BrokerObject? {
    guard !line.bytes.isEmpty else { return nil }
    return BrokerObject(
      name: name, json: line.bytes, for: audience, keptAs: kept ? name : nil)
  }
}
