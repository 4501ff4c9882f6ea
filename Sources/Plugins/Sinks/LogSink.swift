// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Logging
internal import PathMonitorClient
package import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Logs events such as connections, losses, gate changes and errors.
///
/// Logs may be read by users who are not allowed to know the board's position, and may be sent to
/// others for support. So a log contains coordinates and place names only if configured, and
/// locations only at debug level.
package actor LogSink: Sink {
  private static let coordinates = SettingKey.flag(
    "coordinates", default: false, summary: "whether to log coordinates and places")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "log", "structured events in the daemon's log",
    [coordinates.declaration], mailbox: .alerts, makeFilter: { eventFilter(for: $0.logger) },
    make: { settings, context throws(SettingsError) in
      LogSink(
        name: context.name ?? "log", logger: context.logger,
        showsCoordinates: try settings.value(of: coordinates))
    })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let logger: Logger
  private let showsCoordinates: Bool
  private var status = LogFixStatus()

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the status.
  ///   - logger: The logger to write to.
  ///   - showsCoordinates: Whether to log coordinates and place names.
  package init(name: String = "log", logger: Logger, showsCoordinates: Bool = false) {
    self.name = name
    self.logger = logger
    self.showsCoordinates = showsCoordinates
  }

  /// Logs an event; ignores events that are not useful in a log.
  package func receive(_ event: any PipelineEvent) async {
    let isChange = status.isChange(event)
    switch event {
    case let event as LocationEvent: write(event.location, isChange: isChange)
    case let event as NoFixEvent:
      if isChange {
        logger.notice("no fix", metadata: ["source": event.fix.source.map { "\($0)" }].withoutNil)
      }
    case let event as EnrichedEvent: write(event.value)
    case let event as SourceEvent: write(event)
    case let event as GateEvent: write(event)
    case let event as AuthorizationEvent:
      let accuracy = event.authorization.accuracy == .fullAccuracy ? "full" : "reduced"
      logger.notice(
        "authorization",
        metadata: ["status": "\(event.authorization.status)", "accuracy": "\(accuracy)"])
    case let event as PathEvent: write(event.path)
    case let event as ErrorEvent:
      logger.warning("\(event.message)", metadata: ["source": "\(event.source)"])
    default: break
    }
  }

  private func write(_ location: Location, isChange: Bool) {
    if isChange {
      logger.notice(
        location.isSimulated ? "simulated fix" : location.isReplayed ? "recorded fix" : "fix",
        metadata: ["source": location.source.map { "\($0)" }].withoutNil)
    }
    guard logger.logLevel <= .debug else { return }
    let error = location.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95)
    var metadata: [String: Logger.MetadataValue?] = [
      "source": location.source.map { "\($0)" },
      "mode": location.mode == .threeDimensional ? "3d" : "2d",
      "satellites": location.satellitesUsed.map { "\($0)" },
      "horizontal_error_meters": error.map { "\(Text.fixed($0, 1))" },
      "time": location.time.map { "\(Text.time($0))" },
      "simulated": location.isSimulated ? "true" : nil,
      "recorded": location.isReplayed ? "true" : nil,
    ]
    if showsCoordinates {
      metadata["latitude"] = "\(Text.fixed(location.coordinate.latitudeDegrees, 6))"
      metadata["longitude"] = "\(Text.fixed(location.coordinate.longitudeDegrees, 6))"
    }
    logger.debug("location", metadata: metadata.withoutNil)
  }

  private func write(_ value: EnrichedLocation) {
    guard let report = value.enrichment(of: WeatherEnrichment.self)?.report else { return }
    let place = value.enrichment(of: PlaceEnrichment.self)?.place.relativeTitle
    logger.debug(
      "weather",
      metadata: [
        "provider": "\(report.provider)", "kind": "\(report.kind.rawValue)",
        "place": showsCoordinates ? place.map { "\($0)" } : nil,
        "simulated": report.isSimulated ? "true" : nil,
      ].withoutNil)
  }

  private func write(_ event: SourceEvent) {
    switch event {
    case .connected(let server):
      logger.info("connected", metadata: ["server": "\(Text.server(server))"])
    case .receiver(let receiver):
      logger.info(
        receiver.isActive ? "receiver" : "receiver, not read at present",
        metadata: [
          "source": "\(receiver.name)", "model": receiver.model.map { "\($0)" },
          "driver": receiver.driver.map { "\($0)" }, "baud": receiver.baud.map { "\($0)" },
        ].withoutNil)
    case .message(let message, let source):
      // A repeated statement is not logged again.
      guard !message.isRepeated else { return }
      if let error = event.error {
        logger.warning("\(error.message)", metadata: ["source": "\(source)"])
      } else {
        logger.notice("\(message)", metadata: ["source": "\(source)"])
      }
    case .lost:
      guard let error = event.error else { return }
      logger.warning("lost: \(error.message)", metadata: ["source": "\(error.source)"])
    }
  }

  private func write(_ event: GateEvent) {
    var metadata: [String: Logger.MetadataValue?] = [
      "gate": "\(event.gate)", "held": "\(event.heldCount)",
    ]
    switch event.verdict {
    case .passes: logger.info("gate passes", metadata: metadata.withoutNil)
    case .holds(let reason):
      metadata["reason"] = "\(reason)"
      logger.info("gate holds", metadata: metadata.withoutNil)
    }
  }

  private func write(_ path: NetworkPath) {
    let interfaces = path.interfaces.map(\.name).joined(separator: ",")
    logger.info(
      "network path \(path.status.rawValue)",
      metadata: [
        "reason": path.reason.map { "\($0.rawValue)" },
        "interfaces": interfaces.isEmpty ? nil : "\(interfaces)",
        "verified": path.verified.map { "\($0.rawValue)" },
      ].withoutNil)
  }
}

extension [String: Logger.MetadataValue?] {
  /// The entries whose value is not `nil`.
  fileprivate var withoutNil: Logger.Metadata { compactMapValues { $0 } }
}
