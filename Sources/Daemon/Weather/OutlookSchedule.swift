// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Decides when to publish a new weather outlook.
///
/// An outlook is due at the first location and at the first instrument reading, when lookups are
/// blocked, fail or succeed, and after the board has moved. It is also due once a minute, because
/// interpolated values change with time. There is no timer: each pipeline event causes a check.
struct OutlookSchedule: Equatable, Sendable {
  /// Maximum time between two outlooks, in seconds.
  static let intervalSeconds = 60.0
  /// Distance from the last outlook's location after which a new outlook is due, in metres: about
  /// the grid on which coordinates are rounded for weather requests.
  static let distanceMeters = 1000.0

  /// The age in seconds from which a provider's report is no longer current.
  static let answerSeconds = 1800.0

  /// The last authorized location.
  private(set) var location: Location?
  /// The error of the last lookup; `nil` if it succeeded.
  private(set) var lookupError: String?
  private var gateObstacle: String?
  /// The last report of a provider, and its time of arrival.
  private var lastReport: (report: WeatherReport, time: MonotonicTime)?
  private var lastOutlook: (time: MonotonicTime, coordinate: Coordinate)?
  /// The latest readings of the instruments that share a serial line with a receiver.
  private var instruments = InstrumentReadings()

  /// The reason why lookups are blocked, or the error of the last lookup; `nil` if neither exists.
  var obstacle: String? { gateObstacle ?? lookupError }

  /// Returns the last report if it arrived less than ``answerSeconds`` ago by the monotonic clock.
  ///
  /// Returns `nil` while there is an ``obstacle``.
  func currentReport(at now: MonotonicTime) -> WeatherReport? {
    guard obstacle == nil, let lastReport,
      now.seconds(since: lastReport.time) < Self.answerSeconds
    else { return nil }
    return lastReport.report
  }

  /// Handles an event.
  ///
  /// Returns the location of the outlook if an outlook is due, otherwise `nil`.
  mutating func handle(_ event: any PipelineEvent, at now: MonotonicTime) -> Location? {
    var isDue = false
    switch event {
    case let event as LocationEvent: location = event.location
    case let event as InstrumentEvent:
      isDue = instruments.isEmpty
      instruments = event.readings
    case let event as AuthorizationEvent where event.authorization.status.isRefused:
      (location, lastOutlook) = (nil, nil)
    case let event as GateEvent:
      switch event.verdict {
      case .passes: gateObstacle = nil
      case .holds(let reason):
        gateObstacle = "no weather provider is contacted: \(reason)"
        isDue = true
      }
    case let event as ErrorEvent where event.source == "weather":
      lookupError = event.message
      isDue = true
    case let event as EnrichedEvent:
      lookupError = nil
      if let report = event.value.enrichment(of: WeatherEnrichment.self)?.report {
        lastReport = (report, now)
      }
      isDue = true
    default: break
    }
    guard let location else { return nil }
    let coordinate = location.coordinate
    guard isDue || lastOutlook.map({ isOutdated($0, at: coordinate, now: now) }) ?? true else {
      return nil
    }
    lastOutlook = (now, coordinate)
    return location
  }

  /// Handles an event.
  ///
  /// Returns a weather query if an outlook is due, otherwise `nil`.
  ///
  /// `isAtBoard` is true if the locations are this board's, and false if they are from a recording.
  mutating func question(
    after event: any PipelineEvent, at now: MonotonicTime, isAtBoard: Bool
  ) -> WeatherQueries.Question? {
    guard let location = handle(event, at: now) else { return nil }
    var question = WeatherQueries.Question(about: location, isAtBoard: isAtBoard)
    question.instruments = instruments.sensors(now: now)
    return question
  }

  private func isOutdated(
    _ last: (time: MonotonicTime, coordinate: Coordinate), at coordinate: Coordinate,
    now: MonotonicTime
  ) -> Bool {
    now.seconds(since: last.time) >= Self.intervalSeconds
      || last.coordinate.distanceMeters(to: coordinate) >= Self.distanceMeters
  }

  static func == (left: OutlookSchedule, right: OutlookSchedule) -> Bool {
    left.location == right.location && left.obstacle == right.obstacle
      && left.instruments == right.instruments
      && left.lastOutlook?.time == right.lastOutlook?.time
      && left.lastOutlook?.coordinate == right.lastOutlook?.coordinate
  }
}

extension WeatherQueries.Question {
  /// Creates a query for a location.
  ///
  /// `isAtBoard` is true if the location is this board's, and false if it is from a recording.
  init(about location: Location, isAtBoard: Bool) {
    self.init(
      at: location.coordinate,
      isAtBoard: isAtBoard && !location.isSimulated && !location.isReplayed)
    altitudeMetersAboveSeaLevel = location.altitudeMetersAboveSeaLevel
    altitudeAccuracy = location.verticalAccuracy
    horizontalAccuracy = location.horizontalAccuracy
    seenAt = location.receivedAt
    receiverClock = ReceiverClock(location)
  }
}
