// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Pipeline
internal import Plugins
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Publishes pipeline events to the daemon's clients.
///
/// Locations, satellites and instrument readings are excluded. The server gets fixes and satellites
/// from the source directly, and authorizes each client separately from the daemon's own sinks.
actor ClientsSink: Sink {
  static let sinkName = "clients"
  nonisolated let name = ClientsSink.sinkName
  private let publish: @Sendable (ServerEvent) -> Void
  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime?
  private var deduplicator = ReportDeduplicator()
  /// The last report whose forecast was published.
  private var lastForecast: WeatherReport?

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - publish: Sends an event to the clients. Must return at once.
  ///   - now: The clock that timestamps locations.
  ///   - utcNow: The wall clock; returns `nil` while the time is unknown.
  init(
    _ publish: @escaping @Sendable (ServerEvent) -> Void,
    now: @escaping @Sendable () -> MonotonicTime, utcNow: @escaping @Sendable () -> UTCTime?
  ) {
    self.publish = publish
    self.now = now
    self.utcNow = utcNow
  }

  /// Whether the pipeline passes an event to this sink.
  static func takes(_ event: any PipelineEvent) -> Bool {
    !(event is LocationEvent || event is NoFixEvent || event is SkyEvent
      || event is InstrumentEvent)
  }

  func receive(_ event: any PipelineEvent) async throws {
    if let serverEvent = self.event(for: event) { publish(serverEvent) }
    if let forecast = forecast(of: event) { publish(.object(forecast)) }
    if case SourceEvent.lost(let loss, _) as SourceEvent = event, loss.reason != .silent {
      publish(.expired(name: "MESSAGE", subject: loss.receiver))
    }
  }

  /// Returns the event to send to the clients, with its audience; `nil` if the pipeline event is
  /// not published.
  func event(for event: any PipelineEvent) -> ServerEvent? {
    if let object = weather(event) { return .object(object) }
    var line = JSONLine()
    switch event {
    case let event as PathEvent:
      line.appendPATH(event.path)
      return .object(object("PATH", line, for: .authorized, .newest(subject: nil)))
    case let event as GateEvent:
      line.appendGATE(event)
      return .object(object("GATE", line, for: .fullAccuracy, .none))
    case let event as ErrorEvent:
      line.appendERROR(event, "plugin")
      // An error may reveal the location, for example in the URL of a weather request.
      return .object(object("ERROR", line, for: .fullAccuracy, .none))
    case SourceEvent.receiver(let receiver) as SourceEvent:
      line.appendDEVICE(receiver, now: utcNow())
      // A receiver that is no longer read would be listed by every later client.
      let keeping: ServerObject.Keeping =
        receiver.isActive ? .newest(subject: receiver.name) : .last(subject: receiver.name)
      return .object(object("DEVICE", line, for: .authorized, keeping))
    case SourceEvent.message(let message, let source) as SourceEvent:
      line.appendMESSAGE(message, device: source)
      // Later clients get the state of the antenna, until the receiver is lost.
      return .object(
        object(
          "MESSAGE", line, for: .authorized,
          message.antenna == nil ? .none : .newest(subject: source)))
    // A silent receiver is still plugged in, so its DEVICE object stays valid.
    case SourceEvent.lost(let loss, _) as SourceEvent where loss.reason != .silent:
      return .expired(name: "DEVICE", subject: loss.receiver)
    default: return nil
    }
  }

  private func object(
    _ name: String, _ line: JSONLine, for audience: ServerObject.Audience,
    _ keeping: ServerObject.Keeping
  ) -> ServerObject {
    ServerObject(name: name, json: line.bytes, for: audience, keeping: keeping)
  }

  // MARK: Weather

  /// Returns the weather object for clients with full accuracy.
  ///
  /// A repeated report is stored for new clients, but not sent again.
  ///
  /// Other clients do not get this object, because a report's coordinate has two decimals, which is
  /// finer than reduced accuracy.
  private func weather(_ event: any PipelineEvent) -> ServerObject? {
    let isBroadcast = !deduplicator.isDuplicate(event)
    let utc = utcNow()
    switch event {
    case let event as EnrichedEvent:
      guard let report = event.value.enrichment(of: WeatherEnrichment.self)?.report else {
        return nil
      }
      let limit = WeatherEventLifetime.seconds(of: report, now: now(), utcNow: utc)
      return weather(isBroadcast, limit) { line, seconds in
        line.appendWEATHER(event.value, now: utc, secondsLater: seconds)
      }
    case let event as OutlookEvent:
      let outlook = event.outlook
      let limit: Double? =
        switch outlook.resolved.best {
        case let best? where best.quality == .sensor: WeatherEventLifetime.seconds(of: best)
        case let best? where best.quality == .fresh:
          outlook.report.map {
            WeatherEventLifetime.seconds(of: $0, now: now(), utcNow: outlook.time)
          }
        default: nil
        }
      return weather(isBroadcast, limit ?? WeatherEventLifetime.interpolatedSeconds) {
        line, seconds in
        line.appendWEATHER(outlook, secondsLater: seconds)
      }
    default: return nil
    }
  }

  /// Returns the forecast for requests of clients with full accuracy; `nil` if the event has no new
  /// report or the time is unknown.
  func forecast(of event: any PipelineEvent) -> ServerObject? {
    let new: WeatherReport? =
      switch event {
      case let event as EnrichedEvent: event.value.enrichment(of: WeatherEnrichment.self)?.report
      case let event as OutlookEvent: event.outlook.report
      default: nil
      }
    guard var report = new, let utc = utcNow() else { return nil }
    (report.hours, report.days) = (report.forecastHours(at: utc), report.forecastDays(at: utc))
    // The time of arrival differs each time the report is read from the cache.
    (report.receivedAt, report.freshForSeconds, report.cachedForSeconds) = (nil, nil, nil)
    guard report != lastForecast, !report.hours.isEmpty || !report.days.isEmpty else { return nil }
    lastForecast = report
    return .forecast(of: report, for: .fullAccuracy, createdAt: now(), utc)
  }

  private func weather(
    _ isBroadcast: Bool, _ limit: Double,
    _ append: @escaping @Sendable (inout JSONLine, Double) -> Void
  ) -> ServerObject {
    let createdAt = now()
    return ServerObject(
      name: "WEATHER", for: .fullAccuracy, keeping: .newest(subject: nil), isBroadcast: isBroadcast
    ) { now in
      let seconds = max(now.seconds(since: createdAt), 0)
      guard seconds <= limit else { return nil }
      var line = JSONLine()
      append(&line, seconds)
      return line.bytes
    }
  }
}

extension ServerObject {
  /// Returns the forecast of a report, which is valid until its last hour or day has ended.
  static func forecast(
    of report: WeatherReport, for audience: Audience, createdAt: MonotonicTime, _ utc: UTCTime,
    ageSteps: Int = 1
  ) -> ServerObject {
    var object = ServerObject(
      name: "FORECAST", for: audience, keeping: .newest(subject: nil), isBroadcast: false
    ) { now in
      let seconds = Int64(min(max(now.seconds(since: createdAt), 0), 1e9))
      let time = UTCTime(secondsSince1970: utc.secondsSince1970 &+ seconds)
      guard !report.forecastHours(at: time).isEmpty || !report.forecastDays(at: time).isEmpty
      else { return nil }
      var line = JSONLine()
      line.appendFORECAST(report, at: time, ageSteps: ageSteps)
      return line.bytes
    }
    object.isOnRequest = true
    return object
  }
}
