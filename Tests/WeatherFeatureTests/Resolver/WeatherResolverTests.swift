// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Weather resolver")
struct WeatherResolverTests {
  private let start: UTCTime = "2026-11-21T12:00:00"
  private let home = Coordinate.at(51.5, -0.12)
  private let resolver = WeatherResolver()

  /// Returns the input of a stationary board whose last lookup succeeded at `start`.
  private func situation(after seconds: Int64) -> ResolverInput {
    var situation = ResolverInput(now: MonotonicTime(nanoseconds: seconds * 1_000_000_000))
    situation.time = start.adding(seconds: seconds)
    situation.coordinate = home
    situation.altitudeMetersAboveSeaLevel = 20
    var report = WeatherReport(coordinate: home, provider: "test", kind: .forecast)
    report.attribution = "Test data"
    report.now.temperatureDegreesCelsius = 10
    report.validAt = start
    report.issuedAt = start.adding(seconds: -1800)
    report.receivedAt = MonotonicTime(nanoseconds: 0)
    situation.report = report
    situation.forecast = StoredForecast(
      coordinate: home, issuedAt: start.adding(seconds: -1800), provider: "test",
      samples: (0...120).map { (hour: Int64) in
        var weather = CurrentWeather()
        weather.temperatureDegreesCelsius = 10 + Double(hour)
        return ForecastSample(time: start.adding(seconds: hour * 3600), weather: weather)
      })
    return situation
  }

  private func reading(at now: MonotonicTime) -> SensorReading {
    var reading = SensorReading(name: "bme280")
    reading.temperatureDegreesCelsius = 12
    reading.pressureStationHectopascals = 1000
    reading.humidityPercent = 70
    reading.measuredAt = now
    return reading
  }

  @Test("during an outage, the answer is fresh at first, interpolated later, and finally nil")
  func outage() throws {
    var ages: [Double] = []
    for hour in 0...100 {
      let answer = resolver.answer(situation(after: Int64(hour) * 3600 + 900))
      #expect(answer.almanac != nil)
      switch hour {
      case 0:
        let best = try #require(answer.best)
        #expect(best.quality == .fresh && best.kind == .forecast)
        #expect(best.weather.temperatureDegreesCelsius == 10)
        #expect(answer.weather.map(\.quality) == [.fresh, .stored])
      case 1...71:
        let best = try #require(answer.best)
        #expect(best.quality == .stored && best.kind == .interpolated)
        #expect(best.weather.temperatureDegreesCelsius == 10.25 + Double(hour))
        #expect(best.ageSeconds == Double(hour) * 3600 + 900 + 1800)
        #expect(best.distanceMeters == 0)
        ages.append(best.ageSeconds)
      default: #expect(answer.weather == [])
      }
    }
    #expect(ages.count == 71 && ages == ages.sorted())
  }

  @Test("an answer contains the distance, and is nil beyond the maximum distance")
  func distance() throws {
    func answers(_ meters: Double) throws -> [WeatherAnswer] {
      var situation = situation(after: 60)
      situation.coordinate = home.destination(distanceMeters: meters, bearingDegreesTrue: 70)
      return resolver.answer(situation).weather
    }
    #expect(try answers(4999).map(\.quality) == [.fresh, .stored])
    #expect(try answers(5001).map(\.quality) == [.stored])
    #expect(try abs(#require(answers(24_999).first).distanceMeters - 24_999) < 0.01)
    #expect(try answers(25_001) == [])
  }

  @Test("a sensor answer has the quality sensor, and a pressure only if the height is known")
  func sensor() throws {
    var situation = situation(after: 400_000)
    situation.sensor = reading(at: situation.now)
    let best = try #require(resolver.answer(situation).best)
    #expect(best.quality == .sensor && best.kind == .sensor && best.provider == "bme280")
    #expect(best.weather.temperatureDegreesCelsius == 12)
    #expect(best.weather.humidityPercent == 70)
    let pressure = try #require(best.weather.pressureSeaLevelHectopascals)
    #expect((1002.3...1002.5).contains(pressure))
    #expect(best.weather.condition == nil && best.weather.windSpeedMetersPerSecond == nil)

    situation.altitudeMetersAboveSeaLevel = nil
    let without = try #require(resolver.answer(situation).best)
    #expect(without.weather.pressureSeaLevelHectopascals == nil)
    #expect(without.weather.temperatureDegreesCelsius == 12)

    // A reading with only a station pressure is not used if the height is unknown.
    situation.sensor?.temperatureDegreesCelsius = nil
    situation.sensor?.humidityPercent = nil
    #expect(resolver.answer(situation).best == nil)

    situation.sensor = reading(at: situation.now.advanced(byNanoseconds: -600_000_000_000))
    #expect(resolver.answer(situation).best != nil)
    situation.sensor = reading(at: situation.now.advanced(byNanoseconds: -600_000_000_001))
    #expect(resolver.answer(situation).best == nil)
    // A reading from the future is not used: its monotonic time belongs to another boot.
    situation.sensor = reading(at: situation.now.advanced(byNanoseconds: 1))
    #expect(resolver.answer(situation).best == nil)
  }

  @Test("a report with a time in the future is not used")
  func clock() {
    var situation = situation(after: 60)
    situation.time = start.adding(seconds: -2100)
    #expect(resolver.answer(situation).weather == [])
    situation.time = "1970-01-01T00:00:10"
    let answer = resolver.answer(situation)
    #expect(answer.weather == [])
    // If the time is unknown, a report is fresh according to the time since arrival.
    situation.time = nil
    #expect(resolver.answer(situation).weather.map(\.quality) == [.fresh])
    #expect(resolver.answer(situation).almanac == nil)
    situation.now = MonotonicTime(nanoseconds: 3_601_000_000_000)
    #expect(resolver.answer(situation).weather == [])
  }

  @Test("interpolated, sensor and undated reports are not fresh")
  func disguise() {
    for kind in [WeatherReport.Kind.interpolated, .sensor] {
      var situation = situation(after: 60)
      situation.report?.kind = kind
      #expect(resolver.answer(situation).weather.map(\.quality) == [.stored])
    }
    var situation = situation(after: 60)
    situation.report?.validAt = nil
    situation.report?.issuedAt = nil
    situation.report?.receivedAt = nil
    #expect(resolver.answer(situation).weather.map(\.quality) == [.stored])
    var unknown = self.situation(after: 60)
    unknown.coordinate = nil
    #expect(resolver.answer(unknown).weather == [])
    #expect(resolver.answer(unknown).almanac == nil)
  }

  @Test("all answers of the weather resolver are within the limits for random inputs")
  func property() throws {
    var random = SeededGenerator(seed: 12)
    var counts: [WeatherAnswer.Quality: Int] = [:]
    for _ in 0..<4000 {
      let seconds =
        Int64.random(in: 0...300_000, using: &random) / .random(in: 1...100, using: &random)
      var situation = situation(after: seconds)
      if Bool.random(using: &random) {
        situation.coordinate = home.destination(
          distanceMeters: .random(in: 0...40_000, using: &random), bearingDegreesTrue: 3)
      }
      let jumps: [Int64] = [0, 0, -400, 500, -86_400, 4_000_000]
      let jump = jumps.randomElement(using: &random) ?? 0
      situation.time = situation.time?.adding(seconds: jump)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: situation.time = nil
      case 1: situation.coordinate = nil
      case 2: situation.report = nil
      case 3: situation.forecast = nil
      case 4: situation.altitudeMetersAboveSeaLevel = nil
      case 5: situation.report?.kind = .observed
      case 6: situation.report?.validAt = nil
      case 7: situation.report?.receivedAt = nil
      case 8: situation.report?.isSimulated = true
      default: break
      }
      if Bool.random(using: &random) {
        situation.sensor = reading(
          at: situation.now.advanced(
            byNanoseconds: .random(in: -900_000_000_000...100_000_000_000, using: &random)))
      }
      let answer = resolver.answer(situation)
      let qualities = answer.weather.map(\.quality)
      #expect(qualities == Set(qualities).sorted())
      #expect(answer.best?.quality == qualities.first)
      #expect((answer.almanac != nil) == (situation.time != nil && situation.coordinate != nil))
      for found in answer.weather {
        counts[found.quality, default: 0] += 1
        #expect(found.ageSeconds >= 0 && found.distanceMeters >= 0)
        switch found.quality {
        case .fresh:
          #expect(found.kind == situation.report?.kind)
          #expect(found.weather == situation.report?.now)
          #expect(found.isSimulated == situation.report?.isSimulated)
          #expect(found.distanceMeters <= resolver.freshMeters)
          // The report was issued half an hour before its valid time.
          #expect(found.ageSeconds <= resolver.freshSeconds + 1800)
          #expect(situation.coordinate != nil)
        case .stored:
          #expect(found.kind == .interpolated)
          #expect(found.distanceMeters <= resolver.storedMeters)
          #expect(found.ageSeconds <= resolver.storedSeconds)
          let temperature = try #require(found.weather.temperatureDegreesCelsius)
          #expect((10...130).contains(temperature))
          #expect(situation.coordinate != nil && situation.time != nil)
        case .sensor:
          #expect(found.kind == .sensor)
          #expect(found.ageSeconds <= resolver.sensorSeconds)
          #expect(
            found.weather.pressureSeaLevelHectopascals == nil
              || situation.altitudeMetersAboveSeaLevel != nil)
        }
      }
    }
    // Check that every quality was exercised.
    for quality in WeatherAnswer.Quality.allCases { #expect(counts[quality, default: 0] > 200) }
  }

  @Test(
    "an instrument answer has the quality sensor, the receiver, and a separate water temperature"
  )
  func instruments() throws {
    var situation = situation(after: 400_000)
    var reading = SensorReading(name: "instruments")
    reading.receiver = "/dev/ttyUSB0"
    reading.windSpeedMetersPerSecond = 6
    reading.windDirectionDegreesTrue = 330
    reading.waterTemperatureDegreesCelsius = 17.9
    reading.dewPointDegreesCelsius = 11
    reading.measuredAt = situation.now.advanced(byNanoseconds: -4_000_000_000)
    situation.sensor = reading
    let best = try #require(resolver.answer(situation).best)
    #expect(best.quality == .sensor && best.kind == .sensor && best.ageSeconds == 4)
    #expect(best.receiver == "/dev/ttyUSB0" && !best.isSimulated)
    #expect(best.weather.windSpeedMetersPerSecond == 6)
    #expect(best.weather.windDirectionDegreesTrue == 330)
    #expect(best.weather.waterTemperatureDegreesCelsius == 17.9)
    #expect(best.weather.dewPointDegreesCelsius == 11)
    #expect(best.weather.temperatureDegreesCelsius == nil)
  }

  @Test(
    "a pressure that may already be reduced is used only near sea level, and unchanged",
    arguments: [(2, 1012.5, 1012.5), (30, 1012.5, 1012.5), (31, 1012.5, nil), (500, 955, nil)]
      as [(Double, Double, Double?)])
  func unstatedPressure(meters: Double, stated: Double, expected: Double?) {
    var situation = situation(after: 400_000)
    situation.altitudeMetersAboveSeaLevel = meters
    situation.sensor = SensorReading(name: "instruments")
    situation.sensor?.pressureUnstatedHectopascals = stated
    situation.sensor?.temperatureDegreesCelsius = 20
    situation.sensor?.measuredAt = situation.now
    let weather = resolver.answer(situation).best?.weather
    #expect(weather?.temperatureDegreesCelsius == 20)
    #expect(weather?.pressureSeaLevelHectopascals == expected)
    // A station pressure takes precedence and is reduced.
    situation.sensor?.pressureStationHectopascals = 1000
    let station = resolver.answer(situation).best?.weather.pressureSeaLevelHectopascals
    #expect(station.map { abs($0 - 1000 - meters * 0.117) < 2 } == true)
  }
}
