// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Plugins
package import Positioning
internal import Receivers
internal import SystemSupport
package import WeatherClient
package import WeatherClientLive
package import WeatherFeature

/// Everything that can be said of the weather at a place: by a provider where one can be asked, else
/// by what is stored and by the board's own sensors, and always by the sun and the moon.
package struct WeatherQueries: Sendable {
  /// What is asked about.
  package struct Question: Sendable {
    /// Where.
    package var coordinate: Coordinate
    /// Whether the board itself is there, so that its sensors have a say.
    package var isHere: Bool
    /// How high, in metres above mean sea level.
    package var altitudeMetersAboveSeaLevel: Double?
    /// How far off that may be; where it is not known, the height is not believed.
    package var altitudeAccuracy: Accuracy?
    /// How far off the coordinate may be.
    package var horizontalAccuracy: Accuracy?
    /// When the board was last heard to be there; without, nothing says that it stands still.
    package var seenAt: MonotonicTime?
    /// Current readings of instruments on receivers' wires.
    package var instruments: [SensorReading] = []
    /// The time that the question is about, where it is not the present: that of a recording.
    package var time: UTCTime?

    /// Makes a question.
    package init(at coordinate: Coordinate, isHere: Bool) {
      self.coordinate = coordinate
      self.isHere = isHere
    }
  }

  private let service: WeatherService
  private let sensors: IIOSensors
  private let pressureLog: PressureLog
  private let resolver: WeatherResolver
  private let gazetteer: Gazetteer
  private let utcNow: @Sendable () -> UTCTime?
  private let now: @Sendable () -> MonotonicTime

  /// Makes an weatherQueries.
  ///
  /// - Parameters:
  ///   - service: Who asks providers, and keeps what they said.
  ///   - sensors: The board's own sensors.
  ///   - pressureLog: Keeps what they said of the pressure.
  ///   - resolver: What counts as which kind of answer.
  ///   - gazetteer: Who knows the places.
  ///   - utcNow: What time it is, as far as the board knows.
  ///   - now: The present reading of the clock that never jumps; `nil` for the system's.
  package init(
    service: WeatherService, sensors: IIOSensors = IIOSensors(),
    pressureLog: PressureLog = PressureLog(path: nil),
    resolver: WeatherResolver = WeatherResolver(), gazetteer: Gazetteer = .geoNames,
    utcNow: @escaping @Sendable () -> UTCTime? = { SystemClock.utcNow() },
    now: (@Sendable () -> MonotonicTime)? = nil
  ) {
    self.service = service
    self.sensors = sensors
    self.pressureLog = pressureLog
    self.resolver = resolver
    self.gazetteer = gazetteer
    self.utcNow = utcNow
    self.now = now ?? MonotonicTime.now
  }

  /// Asks.
  package func answer(_ question: Question) async -> WeatherOutlook {
    var outlook = WeatherOutlook(coordinate: question.coordinate)
    do throws(WeatherError) {
      outlook.report = try await service.weather(at: question.coordinate)
    } catch {
      outlook.failure = error
      outlook.reason = "\(error)"
    }
    return await completed(outlook, question)
  }

  /// Asks, unless something is in the way; a report that still stands is told all the same.
  ///
  /// - Parameters:
  ///   - question: What about.
  ///   - obstacle: Looks why nobody can be asked, where somebody would be; `nil` where one can.
  /// - Returns: What is known, and why no more is.
  package func answer(
    _ question: Question, unless obstacle: () -> WeatherError?
  ) async -> WeatherOutlook {
    var outlook = WeatherOutlook(coordinate: question.coordinate)
    if let kept = await service.keptReport(at: question.coordinate) {
      outlook.report = kept
      return await completed(outlook, question)
    }
    guard let failure = obstacle() else { return await answer(question) }
    outlook.failure = failure
    outlook.reason = "\(failure)"
    return await completed(outlook, question)
  }

  /// Says what is known without asking anybody.
  package func stored(_ question: Question) async -> WeatherOutlook {
    await completed(WeatherOutlook(coordinate: question.coordinate), question)
  }

  /// Asks for the weather at the middle of a cell of reduced accuracy.
  ///
  /// The answer depends on the cell and the quarter of an hour: it comes from a request for the middle
  /// itself, and all times are beginnings of quarters. Where no provider answers, as without a network
  /// or when the budget is spent, the answer comes from the report that is stored for the middle.
  ///
  /// - Parameters:
  ///   - middle: The middle of the cell.
  ///   - mayAsk: Whether a provider may be asked; else what is stored for that point is told.
  /// - Returns: What is known.
  func reduced(atMiddleOfCell middle: Coordinate, mayAsk: Bool) async -> WeatherOutlook {
    var outlook = WeatherOutlook(coordinate: middle)
    outlook.place = gazetteer.nearest(to: middle)
    guard let quarter = utcNow()?.beginningOfQuarter else { return outlook }
    outlook.time = quarter
    var receivedAt = quarter
    // A failure is not told, as it may depend on where the board has asked before.
    if mayAsk { outlook.report = try? await service.weather(atMiddleOfCell: middle) }
    if outlook.report == nil, let stored = await service.storedReport(atMiddleOfCell: middle) {
      (outlook.report, receivedAt) = (stored.report, min(stored.receivedAt, quarter))
    }
    outlook.report?.keepQuarters(until: quarter)
    var situation = ResolverSituation(now: now())
    situation.time = quarter
    situation.coordinate = middle
    situation.report = outlook.report
    situation.forecast = outlook.report.flatMap {
      StoredForecast($0, receivedAt: receivedAt.beginningOfQuarter)
    }
    outlook.resolver = resolver.answer(situation)
    outlook.days = days(outlook)
    return outlook
  }

  /// Why nothing is told of what a provider has answered just now.
  ///
  /// - Parameters:
  ///   - outlook: What is told.
  ///   - report: The answer; `nil` where none has come.
  /// - Returns: Why, in a sentence; `nil` where something of it is told.
  func silence(_ outlook: WeatherOutlook, of report: WeatherReport?) -> String? {
    guard let report else { return nil }
    var outlook = outlook
    outlook.report = report
    return outlook.silence(resolver)
  }

  private func completed(
    _ outlook: WeatherOutlook, _ question: Question
  ) async -> WeatherOutlook {
    var outlook = outlook
    let hasAnswer = outlook.report != nil
    var situation = ResolverSituation(now: now())
    situation.time = question.time ?? utcNow()
    situation.coordinate = question.coordinate
    // The forecast of the report that is told, so that all of the answer has one origin.
    let stored = await service.storedReport(
      near: outlook.report?.coordinate ?? question.coordinate,
      withinMeters: outlook.report == nil ? resolver.storedMeters : 100)
    outlook.report = outlook.report ?? stored?.report
    if let report = outlook.report {
      situation.forecast = (stored?.receivedAt ?? situation.time).flatMap {
        StoredForecast(report, receivedAt: $0)
      }
    }
    situation.report = outlook.report
    // Instruments measure the air outside; the board's own sensor is in its box.
    let own = question.isHere ? sensors.read(now: situation.now) : []
    let readings = question.instruments + own
    // A height of unknown error reduces no pressure. It does tell that a boat is at sea, where a
    // pressure of unstated level needs no reduction.
    let isReduced = readings.contains { $0.pressureStationHectopascals != nil }
    if question.altitudeAccuracy != nil || !isReduced {
      situation.altitudeMetersAboveSeaLevel = question.altitudeMetersAboveSeaLevel
      situation.altitudeAccuracy = question.altitudeAccuracy
    }
    situation.sensor = SensorReading.combined(readings)
    outlook.pressureTendencyHectopascals = Self.barometer(of: readings).flatMap {
      pressureLog.take(
        stationHectopascals: $0.hectopascals, from: $0.source, measuredAt: $0.measuredAt, question,
        now: situation.now)
    }
    outlook.resolver = resolver.answer(situation)
    outlook.place = gazetteer.nearest(to: question.coordinate)
    outlook.time = situation.time
    outlook.days = days(outlook)
    if hasAnswer { outlook.reason = outlook.silence(resolver) }
    return outlook
  }

  /// The pressure for the tendency, its sensor and when it was measured.
  ///
  /// Prefers a station pressure to one that may be reduced. The source of the board's own sensor is
  /// `nil`, as in a log that was kept before instruments were read.
  private static func barometer(
    of readings: [SensorReading]
  ) -> (hectopascals: Double, source: String?, measuredAt: MonotonicTime?)? {
    for field in [\SensorReading.pressureStationHectopascals, \.pressureUnstatedHectopascals] {
      for reading in readings {
        guard let pressure = reading[keyPath: field] else { continue }
        let level = reading.pressureStationHectopascals == nil ? " unstated" : ""
        let source = reading.receiver.map { reading.name + " " + $0 + level }
        return (pressure, source, reading.measuredAt)
      }
    }
    return nil
  }

  /// The days that are not over where they are for, of a report that still has a say.
  private func days(_ outlook: WeatherOutlook) -> [DayWeather] {
    guard let report = outlook.report, let time = outlook.time,
      outlook.resolver.weather.contains(where: { $0.quality < .sensor })
    else { return [] }
    // The sun's clock there: near enough to that of the people for the name of a day.
    let solarSeconds = Int64(outlook.coordinate.longitudeDegrees * 240)
    let today = UTCTime(secondsSince1970: time.secondsSince1970 &+ solarSeconds).date
    return report.days.filter { $0.date >= today }
  }
}

extension WeatherReport {
  /// Leaves of its times the quarters of an hour, none of them after the present one.
  fileprivate mutating func keepQuarters(until quarter: UTCTime) {
    validAt = validAt.map { min($0.beginningOfQuarter, quarter) }
    issuedAt = issuedAt.map { min($0.beginningOfQuarter, quarter) }
    receivedAt = nil
  }
}

extension WeatherOutlook {
  /// Why nothing of a report is told though a provider has answered.
  ///
  /// Nearly always it is the board's clock: what is said of another time is not told for now.
  ///
  /// Returns why, in a sentence; `nil` where something of it is told, or there is none.
  func silence(_ resolver: WeatherResolver) -> String? {
    guard let report, !self.resolver.weather.contains(where: { $0.quality < .sensor }) else {
      return nil
    }
    let provider = report.provider
    guard let time else {
      return "\(provider) has answered, and this board does not know what time it is: set the clock"
    }
    if let said = report.validAt ?? report.issuedAt {
      let ahead = Double(said.nanoseconds(since: time)) / 1e9
      let amount = OutlookText.age(abs(ahead))
      if ahead > resolver.clockToleranceSeconds {
        return "the clock is \(amount) behind \(provider)'s report: set the clock"
      }
      if -ahead > resolver.freshSeconds {
        return "the clock is \(amount) ahead of \(provider)'s report: set the clock, or ask another"
      }
    }
    let meters = coordinate.distanceMeters(to: report.coordinate)
    let away =
      meters > resolver.freshMeters ? ", and is for a place \(Int(meters / 1000)) km away" : ""
    return "\(provider)'s report says nothing of here and now\(away)"
  }
}
