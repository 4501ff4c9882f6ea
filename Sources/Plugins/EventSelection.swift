// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import Positioning
internal import WeatherFeature

/// The JSON objects that a sink outputs: their classes, and the rate of positions and satellites.
struct EventSelection: Sendable {
  /// A class of JSON objects.
  enum Class: String, CaseIterable {
    case position = "TPV"
    case heading = "ATT"
    case sky = "SKY"
    case weather = "WEATHER"
    case enriched = "ENRICHED"
    case path = "PATH"
    case gate = "GATE"
    case authorization = "AUTH"
    case device = "DEVICE"
    case message = "MESSAGE"
    case error = "ERROR"
  }

  private static let names = Class.allCases.map(\.rawValue)
  private static let classes = SettingKey.list(
    "classes", of: names, default: names, summary: "classes of the objects to output")
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 0,
    summary: "minimum time between two TPV objects, and between two SKY objects of a receiver")

  static let settings = [classes.declaration, intervalSeconds.declaration]

  private var classes = Set(Class.allCases)
  private var intervalSeconds = 0.0
  private var lastPosition: Moment?
  private var hadPosition = false
  private var lastSky: [String?: Moment] = [:]

  /// Selects all events.
  init() {}

  /// Reads the settings; throws `SettingsError` if they are invalid.
  init(_ settings: SettingsTable) throws(SettingsError) {
    classes = Set(try settings.value(of: Self.classes).compactMap { Class(rawValue: $0) })
    intervalSeconds = try settings.value(of: Self.intervalSeconds)
  }

  /// Whether a class is selected.
  func includes(_ eventClass: Class) -> Bool { classes.contains(eventClass) }

  /// Returns whether to output an event, and notes its time if so.
  ///
  /// The first position after a loss, and the loss itself, are not subject to the interval. The
  /// classes of a position with its heading, and of an `EnrichedEvent`, are left to the caller.
  mutating func takes(_ event: any PipelineEvent) -> Bool {
    if let eventClass = Class(event), !classes.contains(eventClass) { return false }
    switch event {
    case let event as LocationEvent:
      return takes(Moment(event.location.time, event.location.receivedAt), isPosition: true)
    case let event as NoFixEvent:
      return takes(Moment(event.fix.time, event.fix.receivedAt), isPosition: false)
    case let event as SkyEvent:
      let moment = Moment(event.sky.time, event.sky.receivedAt)
      guard isDue(moment, after: lastSky[event.device]) else { return false }
      // A receiver that is plugged in again may have a new name.
      if lastSky.count > 64 { lastSky = [:] }
      lastSky[event.device] = moment
    default: break
    }
    return true
  }

  private mutating func takes(_ moment: Moment, isPosition: Bool) -> Bool {
    guard isPosition != hadPosition || isDue(moment, after: lastPosition) else { return false }
    (lastPosition, hadPosition) = (moment, isPosition)
    return true
  }

  private func isDue(_ moment: Moment, after last: Moment?) -> Bool {
    guard let last, let seconds = moment.seconds(since: last) else { return true }
    // Allow 5 ms for the inaccuracy of receivers' clocks.
    return seconds < 0 || seconds >= intervalSeconds - 0.005
  }
}

extension EventSelection.Class {
  /// The class of an event; `nil` if the event has several classes, or none.
  fileprivate init?(_ event: any PipelineEvent) {
    switch event {
    case is SkyEvent: self = .sky
    case is OutlookEvent: self = .weather
    case is PathEvent: self = .path
    case is GateEvent: self = .gate
    case is AuthorizationEvent: self = .authorization
    case SourceEvent.receiver as SourceEvent: self = .device
    case SourceEvent.message as SourceEvent: self = .message
    case let event as SourceEvent where event.error != nil: self = .error
    case is ErrorEvent: self = .error
    default: return nil
    }
  }
}
