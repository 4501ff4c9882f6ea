// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Plugins
package import Positioning
internal import Receivers
package import SystemSupport
package import WeatherClient
package import WeatherClientLive
package import WeatherFeature

/// Computes weather outlooks for a coordinate.
///
/// An outlook combines a new or stored report of a provider, the values of the board's sensors, and
/// the sun and the moon. If there is no report, the outlook contains only the other values.
package struct WeatherQueries: Sendable {
  /// A query for the weather at a coordinate.
  package struct Question: Sendable {
    package var coordinate: Coordinate
    /// Whether the board is at the coordinate, so that the board's own sensors are used.
    package var isAtBoard: Bool
    /// Whether a person typed the coordinate or its place, for which providers have another limit.
    package var isTyped = false
    package var altitudeMetersAboveSeaLevel: Double?
    /// The accuracy of the altitude.
    ///
    /// If `nil`, the altitude is not used to reduce a pressure to sea level.
    package var altitudeAccuracy: Accuracy?
    /// The accuracy of the coordinate.
    package var horizontalAccuracy: Accuracy?
    /// The time at which the board was at the coordinate.
    ///
    /// If `nil`, no pressure tendency is computed.
    package var seenAt: MonotonicTime?
    /// Current readings of the instruments that share a serial line with a receiver.
    package var instruments: [SensorReading] = []
    /// The receiver's time, which corrects the system clock; `nil` if it is not certain.
    package var receiverClock: ReceiverClock?
    /// The time of the query in a recording; `nil` for the current time.
    package var time: UTCTime?

    package init(at coordinate: Coordinate, isAtBoard: Bool) {
      self.coordinate = coordinate
      self.isAtBoard = isAtBoard
    }
  }

  private let service: WeatherService
  private let sensors: IIOSensors
  private let pressureLog: PressureLog
  private let resolver: WeatherResolver
  private let gazetteer: Gazetteer
  /// The clock to correct by the queries; `nil` if `utcNow` is used as it is.
  private let clock: BoardClock?
  private let utcNow: @Sendable () -> UTCTime?
  private let now: @Sendable () -> MonotonicTime

  /// Creates queries that use a weather service.
  ///
  /// - Parameters:
  ///   - service: Requests reports from providers, and stores them.
  ///   - sensors: The board's own sensors.
  ///   - pressureLog: Stores pressure measurements for the tendency.
  ///   - resolver: Chooses between reports, forecasts and measurements.
  ///   - gazetteer: Finds the name of the nearest place.
  ///   - clock: The wall clock, which queries correct by the receiver's time; if `nil`, `utcNow` is
  ///     used.
  ///   - utcNow: The wall clock; returns `nil` while the time is unknown.
  ///   - now: The monotonic clock; `nil` for the system's monotonic clock.
  package init(
    service: WeatherService, sensors: IIOSensors = IIOSensors(),
    pressureLog: PressureLog = PressureLog(path: nil),
    resolver: WeatherResolver = WeatherResolver(), gazetteer: Gazetteer = .geoNames,
    clock: BoardClock? = nil,
    utcNow: @escaping @Sendable () -> UTCTime? = { SystemClock.utcNow() },
    now: (@Sendable () -> MonotonicTime)? = nil
  ) {
    self.service = service
    self.sensors = sensors
    self.pressureLog = pressureLog
    self.resolver = resolver
    self.gazetteer = gazetteer
    self.clock = clock
    if let clock { self.utcNow = { clock.utcNow } } else { self.utcNow = utcNow }
    self.now = now ?? MonotonicTime.now
  }

  /// Requests a report from the providers, and returns the outlook.
  ///
  /// If the request fails, the outlook contains the error and the values from the other sources.
  package func answer(_ question: Question) async -> WeatherOutlook {
    clock?.note(question.receiverClock)
    var outlook = WeatherOutlook(coordinate: question.coordinate)
    do throws(WeatherError) {
      outlook.report = try await service.weather(
        at: question.coordinate, isTyped: question.isTyped)
    } catch {
      outlook.failure = error
      outlook.reason = "\(error)"
    }
    return await completed(outlook, question)
  }

  /// Returns the outlook.
  ///
  /// Requests a report from the providers only if `obstacle` returns `nil`.
  ///
  /// If there is a fresh stored report, it is used, and `obstacle` is not called. The outlook
  /// contains the error that `obstacle` returns.
  package func answer(
    _ question: Question, unless obstacle: () -> WeatherError?
  ) async -> WeatherOutlook {
    clock?.note(question.receiverClock)
    var outlook = WeatherOutlook(coordinate: question.coordinate)
    if let cached = await service.cachedReport(at: question.coordinate) {
      outlook.report = cached
      return await completed(outlook, question)
    }
    guard let failure = obstacle() else { return await answer(question) }
    outlook.failure = failure
    outlook.reason = "\(failure)"
    return await completed(outlook, question)
  }

  /// Stores a report that the consumer of a fleet looked up for this board.
  func receive(_ report: WeatherReport, ageSeconds: Int64) async {
    await service.receive(report, ageSeconds: ageSeconds, via: "fleet")
  }

  /// Returns the outlook without contacting a provider.
  package func stored(_ question: Question) async -> WeatherOutlook {
    clock?.note(question.receiverClock)
    return await completed(WeatherOutlook(coordinate: question.coordinate), question)
  }

  /// Returns the outlook for the centre of a cell of reduced accuracy.
  ///
  /// The outlook depends only on the cell and the quarter of an hour: the report is requested for
  /// the centre itself, and all times are truncated to quarter hours. If no provider replies, for
  /// example because there is no network or the request limit is reached, the report that is stored
  /// for the centre is used.
  ///
  /// - Parameters:
  ///   - middle: The centre of the cell.
  ///   - contactsProvider: Whether to contact a provider; if false, only a stored report is used.
  /// - Returns: The outlook.
  func reduced(atCentreOfCell middle: Coordinate, contactsProvider: Bool) async -> WeatherOutlook {
    var outlook = WeatherOutlook(coordinate: middle)
    outlook.place = gazetteer.nearest(to: middle)
    guard let quarter = utcNow()?.startOfQuarterHour else { return outlook }
    outlook.time = quarter
    var receivedAt = quarter
    // Do not publish an error, because it may depend on where the board was at earlier requests.
    if contactsProvider { outlook.report = try? await service.weather(atCentreOfCell: middle) }
    if outlook.report == nil, let stored = await service.storedReport(atCentreOfCell: middle) {
      (outlook.report, receivedAt) = (stored.report, min(stored.receivedAt, quarter))
    }
    outlook.report?.truncateTimes(notAfter: quarter)
    var input = ResolverInput(now: now())
    input.time = quarter
    input.coordinate = middle
    input.report = outlook.report
    input.forecast = outlook.report.flatMap {
      StoredForecast($0, receivedAt: receivedAt.startOfQuarterHour)
    }
    outlook.resolved = resolver.answer(input)
    outlook.days = days(outlook)
    return outlook
  }

  /// Returns why an outlook uses no value of a provider's recent report, as a sentence.
  ///
  /// Returns `nil` if there is no report, or if the outlook uses at least one value of the report.
  func unusedReportReason(_ outlook: WeatherOutlook, of report: WeatherReport?) -> String? {
    guard let report else { return nil }
    var outlook = outlook
    outlook.report = report
    return outlook.unusedReportReason(resolver)
  }

  private func completed(
    _ outlook: WeatherOutlook, _ question: Question
  ) async -> WeatherOutlook {
    var outlook = outlook
    let hasNewReport = outlook.report != nil
    var input = ResolverInput(now: now())
    input.time = question.time ?? utcNow()
    input.coordinate = question.coordinate
    // Take the forecast from the same report, so that all values have the same origin.
    let stored = await service.storedReport(
      near: outlook.report?.coordinate ?? question.coordinate,
      withinMeters: outlook.report == nil ? resolver.storedMeters : 100)
    outlook.report = outlook.report ?? stored?.report
    if let report = outlook.report {
      input.forecast = (stored?.receivedAt ?? input.time).flatMap {
        StoredForecast(report, receivedAt: $0)
      }
    }
    input.report = outlook.report
    // Prefer instruments: they measure outdoors, while the board's own sensor is in an enclosure.
    let boardReadings = question.isAtBoard ? sensors.read(now: input.now) : []
    let readings = question.instruments + boardReadings
    // An altitude of unknown accuracy is not used to reduce a station pressure. Such an altitude is
    // still used to detect that the board is at sea level, where a pressure at an unspecified level
    // needs no reduction.
    let isReduced = readings.contains { $0.pressureStationHectopascals != nil }
    if question.altitudeAccuracy != nil || !isReduced {
      input.altitudeMetersAboveSeaLevel = question.altitudeMetersAboveSeaLevel
      input.altitudeAccuracy = question.altitudeAccuracy
    }
    input.sensor = SensorReading.combined(readings)
    outlook.pressureTendencyHectopascals = Self.barometer(of: readings).flatMap {
      pressureLog.take(
        stationHectopascals: $0.hectopascals, from: $0.source, measuredAt: $0.measuredAt, question,
        now: input.now)
    }
    outlook.resolved = resolver.answer(input)
    outlook.place = gazetteer.nearest(to: question.coordinate)
    outlook.time = input.time
    outlook.days = days(outlook)
    if hasNewReport { outlook.reason = outlook.unusedReportReason(resolver) }
    return outlook
  }

  /// Returns the pressure for the tendency, its sensor and the time of the measurement.
  ///
  /// Prefers a station pressure to a pressure that may be reduced to sea level. The source is `nil`
  /// for the board's own sensor, for compatibility with logs of versions that did not read
  /// instruments.
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

  /// Returns the forecast days that have not ended at the report's coordinate.
  ///
  /// Returns an empty array if no value of the report is used.
  private func days(_ outlook: WeatherOutlook) -> [DayWeather] {
    guard let report = outlook.report, let time = outlook.time,
      outlook.resolved.weather.contains(where: { $0.quality < .sensor })
    else { return [] }
    return report.forecastDays(at: time)
  }
}

extension WeatherReport {
  /// Truncates all times to quarter hours.
  ///
  /// Times after `quarter` become `quarter`. The time of arrival is removed.
  fileprivate mutating func truncateTimes(notAfter quarter: UTCTime) {
    validAt = validAt.map { min($0.startOfQuarterHour, quarter) }
    issuedAt = issuedAt.map { min($0.startOfQuarterHour, quarter) }
    receivedAt = nil
  }
}

extension WeatherOutlook {
  /// Returns why the outlook uses no value of its report, as a sentence.
  ///
  /// The usual reason is a wrong clock, because values for another time are not used.
  ///
  /// Returns `nil` if there is no report, or if at least one value of the report is used.
  func unusedReportReason(_ resolver: WeatherResolver) -> String? {
    guard let report, !self.resolved.weather.contains(where: { $0.quality < .sensor }) else {
      return nil
    }
    let provider = report.provider
    guard let time else {
      return "\(provider) answered, but the board's time is unknown: set the clock"
    }
    if let reportTime = report.validAt ?? report.issuedAt {
      let ahead = Double(reportTime.nanoseconds(since: time)) / 1e9
      let amount = OutlookText.age(abs(ahead))
      if ahead > resolver.clockToleranceSeconds {
        return "the clock is \(amount) behind \(provider)'s report: set the clock"
      }
      if -ahead > resolver.freshSeconds {
        return "the clock is \(amount) ahead of \(provider)'s report: set the clock, "
          + "or use another provider"
      }
    }
    let meters = coordinate.distanceMeters(to: report.coordinate)
    let away =
      meters > resolver.freshMeters ? "; it is for a place \(Int(meters / 1000)) km away" : ""
    return "\(provider)'s report has no values for this place and time\(away)"
  }
}
