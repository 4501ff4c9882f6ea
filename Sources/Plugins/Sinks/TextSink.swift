// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import PathMonitorClient
package import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Writes each event as a line for terminals, aligned and with units.
package actor TextSink: Sink {
  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "text", "readable lines with units", mailbox: .following,
    make: { _, context in TextSink(context) })

  /// The name in reports and in the status.
  package nonisolated var name: String { Self.plugin.name }
  private let context: PluginContext
  private let style: TextStyle
  private let start: MonotonicTime
  /// Whether the last epoch had no position; only the first such epoch is written.
  private var isWithoutFix = false
  /// Whether the last outlook had no weather; only the first such outlook is written.
  private var isWithoutWeather = false
  private var deduplicator = ReportDeduplicator()

  package init(_ context: PluginContext) {
    self.context = context
    style = TextStyle(usesColor: context.usesColor)
    start = context.now()
  }

  /// Writes an event.
  package func receive(_ event: any PipelineEvent) async throws {
    if event is LocationEvent { isWithoutFix = false }
    if event is NoFixEvent {
      if isWithoutFix { return }
      isWithoutFix = true
    }
    if event is EnrichedEvent { isWithoutWeather = false }
    let isDuplicate = deduplicator.isDuplicate(event)
    if let event = event as? OutlookEvent {
      let isUnknown = event.outlook.resolved.best == nil
      // Report only once that the weather is unknown, not with each update.
      if isUnknown, isWithoutWeather { return }
      isWithoutWeather = isUnknown
    }
    guard !isDuplicate, let (label, text, tone) = line(event) else { return }
    let now = context.now()
    let clock = context.isLive ? Text.fixed(now.seconds(since: start), 1, width: 7) + " s  " : ""
    let line = clock + Text.padded(label, 9) + style.apply(tone, Text.visible(text)) + "\n"
    try context.write(Array(line.utf8))
  }

  private func line(_ event: any PipelineEvent) -> (String, String, TextStyle.Tone)? {
    switch event {
    case let event as LocationEvent: ("fix", describe(event.location), .plain)
    case let event as NoFixEvent: ("fix", describe(event.fix), .bad)
    case let event as EnrichedEvent: describe(event.value).map { ("weather", $0, .good) }
    case let event as OutlookEvent:
      (
        "weather", describe(event.outlook),
        event.outlook.resolved.best?.quality == .fresh ? .good : .bad
      )
    case let event as PathEvent:
      ("path", describe(event.path), event.path.isSatisfied ? .plain : .bad)
    case let event as GateEvent: ("gate", describe(event), event.verdict == .passes ? .good : .bad)
    case let event as AuthorizationEvent:
      (
        "auth", "\(event.authorization.status)",
        event.authorization.status.isRefused ? .bad : .plain
      )
    case let event as ErrorEvent: describe(event)
    case let event as SourceEvent: describe(event)
    default: nil
    }
  }

  private func describe(_ event: ErrorEvent) -> (String, String, TextStyle.Tone) {
    ("error", "\(event.source): \(event.message)", .bad)
  }

  private func describe(_ event: SourceEvent) -> (String, String, TextStyle.Tone)? {
    switch event {
    case .connected(let server): ("server", Text.server(server), .plain)
    case .receiver(let receiver): ("receiver", Text.receiver(receiver), .plain)
    case .message, .lost: event.error.map { describe($0) }
    }
  }

  private func describe(_ location: Location) -> String {
    var parts: [String] = []
    // In a replay without real time, show the recorded time instead of the age.
    if !context.isLive, let time = location.time {
      parts.append(context.format.time(time))
    }
    parts.append(Text.coordinate(location.coordinate))
    if let altitude = location.altitudeMetersAboveSeaLevel {
      parts.append(context.format.height(altitude, width: 7))
    }
    if let speed = location.speedMetersPerSecond {
      parts.append(context.format.speed(speed, width: 5))
    }
    if let course = location.courseDegreesTrue {
      parts.append(Text.fixed(course, 0, width: 3) + "°")
    }
    if let error = location.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) {
      parts.append("±" + context.format.height(error) + " (95 %)")
    }
    if let satellites = location.satellitesUsed { parts.append("\(satellites) sats") }
    parts.append(location.mode == .threeDimensional ? "3D" : "2D")
    if let ageText = age(location.isReplayed ? location.recordedAt : location.receivedAt) {
      parts.append("age \(ageText)")
    } else if context.isLive, location.receivedAt == nil, let time = location.time {
      parts.append(context.format.coarse(time))
    }
    parts += Text.marks(isSimulated: location.isSimulated, isReplayed: location.isReplayed)
    return parts.joined(separator: "  ")
  }

  private func describe(_ fix: Fix) -> String {
    var parts: [String] = []
    if !context.isLive, let time = fix.time { parts.append(context.format.time(time)) }
    parts.append("no fix")
    if let satellites = fix.satellitesUsed { parts.append("\(satellites) sats") }
    parts += Text.marks(isSimulated: fix.isSimulated, isReplayed: fix.isReplayed)
    return parts.joined(separator: "  ")
  }

  private func describe(_ value: EnrichedLocation) -> String? {
    guard let report = value.enrichment(of: WeatherEnrichment.self)?.report else { return nil }
    let place = value.enrichment(of: PlaceEnrichment.self).map {
      context.format.title(of: $0.place)
    }
    var parts = [place ?? Text.coordinate(report.coordinate, places: 2)]
    parts += values(report.now)
    let provider = report.provider + (report.via.map { " via \($0)" } ?? "")
    var source = "\(report.kind.rawValue) by \(provider)"
    if report.isSimulated { source += ", simulated" }
    if context.isLive, let seconds = report.ageSeconds(at: context.utcNow()) {
      source += ", age " + Text.fixed(seconds, 0) + " s"
    }
    return parts.joined(separator: ", ") + " [\(source)]"
  }

  private func describe(_ outlook: WeatherOutlook) -> String {
    let place =
      outlook.place.map { context.format.title(of: $0) }
      ?? Text.coordinate(outlook.coordinate, places: 2)
    let text = OutlookText(context.format)
    guard let best = outlook.resolved.best else {
      let sun = outlook.resolved.almanac.map { "; sun " + text.sun($0) } ?? ""
      return "\(place), no weather known yet\(sun)"
    }
    let tendency = outlook.pressureTendencyHectopascals.map {
      [text.words(pressureTendency: $0)]
    }
    return ([place] + values(best.weather) + (tendency ?? [])).joined(separator: ", ")
      + " [\(text.source(best))]"
  }

  private func values(_ now: CurrentWeather) -> [String] {
    var parts: [String] = []
    if let temperature = now.temperatureDegreesCelsius {
      parts.append(context.format.temperature(temperature))
    }
    if let condition = now.condition { parts.append(condition.title) }
    if let wind = OutlookText(context.format).wind(now) { parts.append("wind " + wind) }
    if let pressure = now.pressureSeaLevelHectopascals {
      parts.append(context.format.pressure(pressure, places: 0))
    }
    if let water = now.waterTemperatureDegreesCelsius {
      parts.append("water " + context.format.temperature(water))
    }
    if let humidity = now.humidityPercent { parts.append(Text.fixed(humidity, 0) + " % humidity") }
    return parts
  }

  private func describe(_ path: NetworkPath) -> String {
    var text = path.status.rawValue
    if let reason = path.reason { text += ": \(reason.rawValue)" }
    if !path.interfaces.isEmpty {
      text += " via " + path.interfaces.map(\.name).joined(separator: ", ")
    }
    if let verified = path.verified { text += "; \(verified.text)" }
    return path.isScripted ? text + " (scripted, not real)" : text
  }

  private func describe(_ event: GateEvent) -> String {
    switch event.verdict {
    case .holds(let reason): "\(event.gate) holds the newest location: \(reason)"
    case .passes: "\(event.gate) resumed; locations held: \(event.heldCount)"
    }
  }

  private func age(_ receivedAt: MonotonicTime?) -> String? {
    guard context.isLive, let receivedAt else { return nil }
    let seconds = max(context.now().seconds(since: receivedAt), 0)
    return seconds < 120 ? Text.fixed(seconds, 1) + " s" : OutlookText.age(seconds)
  }
}
