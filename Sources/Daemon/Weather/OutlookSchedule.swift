// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Decides when what can be said of the weather is to be told anew.
///
/// At the first location, when lookups begin to be held, when one has failed or has been answered,
/// when the board has moved, when instruments first measure something, and once a minute: what is
/// interpolated changes with the time. Every event is a tick, so that no timer is needed:
/// without events nothing is due.
struct OutlookSchedule: Equatable, Sendable {
  /// After how many seconds it is told in any case.
  static let intervalSeconds = 60.0
  /// After how many metres it is told for the new place: the size of a cell.
  static let distanceMeters = 1000.0

  /// For how long an answer has just come: no report is old by then.
  static let answerSeconds = 1800.0

  /// Where the board is, as far as may be known.
  private(set) var location: Location?
  /// Why there is no newer report, where that is known.
  private(set) var reason: String?
  private var held: String?
  /// What a provider answered last, and when.
  private var answer: (report: WeatherReport, time: MonotonicTime)?
  private var last: (time: MonotonicTime, coordinate: Coordinate)?
  /// Latest readings of the instruments on receivers' wires.
  private var instruments = InstrumentReadings()

  /// Why no provider is asked, or why none has answered.
  var obstacle: String? { held ?? reason }

  /// What a provider has answered so lately that it is fresh, whatever the wall clock says.
  ///
  /// Returns the report; `nil` where none has, or somebody else's word came after it.
  func answer(at now: MonotonicTime) -> WeatherReport? {
    guard obstacle == nil, let answer, now.seconds(since: answer.time) < Self.answerSeconds else {
      return nil
    }
    return answer.report
  }

  /// Takes an event.
  ///
  /// Returns the location to tell of; `nil` where nothing is due.
  mutating func handle(_ event: any PipelineEvent, at now: MonotonicTime) -> Location? {
    var isDue = false
    switch event {
    case let event as LocationEvent: location = event.location
    case let event as InstrumentEvent:
      isDue = instruments.isEmpty
      instruments = event.readings
    case let event as AuthorizationEvent where event.authorization.status.isRefused:
      (location, last) = (nil, nil)
    case let event as GateEvent:
      switch event.verdict {
      case .passes: held = nil
      case .holds(let why):
        held = "no weather provider is asked: \(why)"
        isDue = true
      }
    case let event as ErrorEvent where event.source == "weather":
      reason = event.message
      isDue = true
    case let event as EnrichedEvent:
      reason = nil
      if let report = event.value.found(WeatherEnrichment.self)?.report { answer = (report, now) }
      isDue = true
    default: break
    }
    guard let location else { return nil }
    let coordinate = location.coordinate
    guard isDue || last.map({ isFinished($0, at: coordinate, now: now) }) ?? true else {
      return nil
    }
    last = (now, coordinate)
    return location
  }

  /// What to ask about after an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: When it came.
  ///   - isHere: Whether locations are of the board itself, and not of a recording.
  /// - Returns: The question; `nil` where nothing is due.
  mutating func question(
    after event: any PipelineEvent, at now: MonotonicTime, isHere: Bool
  ) -> WeatherQueries.Question? {
    guard let location = handle(event, at: now) else { return nil }
    var question = WeatherQueries.Question(about: location, isHere: isHere)
    question.instruments = instruments.sensors(now: now)
    return question
  }

  private func isFinished(
    _ last: (time: MonotonicTime, coordinate: Coordinate), at coordinate: Coordinate,
    now: MonotonicTime
  ) -> Bool {
    now.seconds(since: last.time) >= Self.intervalSeconds
      || last.coordinate.distanceMeters(to: coordinate) >= Self.distanceMeters
  }

  static func == (left: OutlookSchedule, right: OutlookSchedule) -> Bool {
    left.location == right.location && left.obstacle == right.obstacle
      && left.instruments == right.instruments
      && left.last?.time == right.last?.time && left.last?.coordinate == right.last?.coordinate
  }
}

extension WeatherQueries.Question {
  /// Makes a question about where a location is.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - isHere: Whether it is of the board itself, and not of a recording.
  init(about location: Location, isHere: Bool) {
    self.init(at: location.coordinate, isHere: isHere && !location.isSimulated)
    altitudeMetersAboveSeaLevel = location.altitudeMetersAboveSeaLevel
    altitudeAccuracy = location.verticalAccuracy
    horizontalAccuracy = location.horizontalAccuracy
    seenAt = location.receivedAt
  }
}
