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
  private func input(after seconds: Int64) -> ResolverInput {
    var input = ResolverInput(now: .at(seconds))
    input.time = start.adding(seconds: seconds)
    input.coordinate = home
    input.altitudeMetersAboveSeaLevel = 20
    var report = WeatherReport(coordinate: home, provider: "test", kind: .forecast)
    report.attribution = "Test data"
    report.now.temperatureDegreesCelsius = 10
    report.validAt = start
    report.issuedAt = start.adding(seconds: -1800)
    report.receivedAt = .at(0)
    input.report = report
    input.forecast = StoredForecast(
      coordinate: home, issuedAt: start.adding(seconds: -1800), provider: "test",
      samples: (0...120).map { (hour: Int64) in
        var weather = CurrentWeather()
        weather.temperatureDegreesCelsius = 10 + Double(hour)
        return ForecastSample(time: start.adding(seconds: hour * 3600), weather: weather)
      })
    return input
  }

  private func reading(at now: MonotonicTime) -> SensorReading {
    var reading = SensorReading(name: "bme280")
    reading.temperatureDegreesCelsius = 12
    reading.pressureStationHectopascals = 1000
    reading.humidityPercent = 70
    reading.measuredAt = now
    return reading
  }

  @Test func `in a network outage, the weather is fresh at first, later interpolated, and finally nil`() throws {
    var ages: [Double] = []
    for hour in 0...100 {
      let answer = resolver.answer(input(after: Int64(hour) * 3600 + 900))
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

  @Test func `a weather answer contains the distance, and is nil beyond the maximum distance`() throws {
    func answers(_ meters: Double) throws -> [WeatherAnswer] {
      var input = input(after: 60)
      input.coordinate = home.destination(distanceMeters: meters, bearingDegreesTrue: 70)
      return resolver.answer(input).weather
    }
    #expect(try answers(4999).map(\.quality) == [.fresh, .stored])
    #expect(try answers(5001).map(\.quality) == [.stored])
    #expect(try abs(#require(answers(24_999).first).distanceMeters - 24_999) < 0.01)
    #expect(try answers(25_001) == [])
  }

  @Test func `a sensor answer has the quality sensor, and a pressure only if the height is known`() throws {
    var input = input(after: 400_000)
    input.sensor = reading(at: input.now)
    let best = try #require(resolver.answer(input).best)
    #expect(best.quality == .sensor && best.kind == .sensor && best.provider == "bme280")
    #expect(best.weather.temperatureDegreesCelsius == 12)
    #expect(best.weather.humidityPercent == 70)
    let pressure = try #require(best.weather.pressureSeaLevelHectopascals)
    #expect((1002.3...1002.5).contains(pressure))
    #expect(best.weather.condition == nil && best.weather.windSpeedMetersPerSecond == nil)

    input.altitudeMetersAboveSeaLevel = nil
    let withoutHeight = try #require(resolver.answer(input).best)
    #expect(withoutHeight.weather.pressureSeaLevelHectopascals == nil)
    #expect(withoutHeight.weather.temperatureDegreesCelsius == 12)

    // A reading with only a station pressure is not used if the height is unknown.
    input.sensor?.temperatureDegreesCelsius = nil
    input.sensor?.humidityPercent = nil
    #expect(resolver.answer(input).best == nil)

    input.sensor = reading(at: input.now.advanced(byNanoseconds: -600_000_000_000))
    #expect(resolver.answer(input).best != nil)
    input.sensor = reading(at: input.now.advanced(byNanoseconds: -600_000_000_001))
    #expect(resolver.answer(input).best == nil)
    // A reading from the future is not used: its monotonic time belongs to another boot.
    input.sensor = reading(at: input.now.advanced(byNanoseconds: 1))
    #expect(resolver.answer(input).best == nil)
  }

  @Test func `the weather resolver does not use a report with a time in the future`() {
    var input = input(after: 60)
    input.time = start.adding(seconds: -2100)
    #expect(resolver.answer(input).weather == [])
    input.time = "1970-01-01T00:00:10"
    let answer = resolver.answer(input)
    #expect(answer.weather == [])
    // If the time is unknown, a report is fresh according to the time since arrival.
    input.time = nil
    #expect(resolver.answer(input).weather.map(\.quality) == [.fresh])
    #expect(resolver.answer(input).almanac == nil)
    input.now = .at(3601)
    #expect(resolver.answer(input).weather == [])
  }

  @Test func `the weather resolver treats no interpolated, sensor or undated report as fresh`() {
    for kind in [WeatherReport.Kind.interpolated, .sensor] {
      var input = input(after: 60)
      input.report?.kind = kind
      #expect(resolver.answer(input).weather.map(\.quality) == [.stored])
    }
    var input = input(after: 60)
    input.report?.validAt = nil
    input.report?.issuedAt = nil
    input.report?.receivedAt = nil
    #expect(resolver.answer(input).weather.map(\.quality) == [.stored])
    var withoutLocation = self.input(after: 60)
    withoutLocation.coordinate = nil
    #expect(resolver.answer(withoutLocation).weather == [])
    #expect(resolver.answer(withoutLocation).almanac == nil)
  }

  @Test func `all answers of the weather resolver are within the limits for random inputs`() throws {
    var random = SeededGenerator(seed: 12)
    var counts: [WeatherAnswer.Quality: Int] = [:]
    for _ in 0..<4000 {
      let seconds =
        Int64.random(in: 0...300_000, using: &random) / .random(in: 1...100, using: &random)
      var input = input(after: seconds)
      if Bool.random(using: &random) {
        input.coordinate = home.destination(
          distanceMeters: .random(in: 0...40_000, using: &random), bearingDegreesTrue: 3)
      }
      let jumps: [Int64] = [0, 0, -400, 500, -86_400, 4_000_000]
      let jump = jumps.randomElement(using: &random) ?? 0
      input.time = input.time?.adding(seconds: jump)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: input.time = nil
      case 1: input.coordinate = nil
      case 2: input.report = nil
      case 3: input.forecast = nil
      case 4: input.altitudeMetersAboveSeaLevel = nil
      case 5: input.report?.kind = .observed
      case 6: input.report?.validAt = nil
      case 7: input.report?.receivedAt = nil
      case 8: input.report?.isSimulated = true
      default: break
      }
      if Bool.random(using: &random) {
        input.sensor = reading(
          at: input.now.advanced(byNanoseconds: .random(in: -900_000_000_000...100_000_000_000, using: &random)))
      }
      let answer = resolver.answer(input)
      let qualities = answer.weather.map(\.quality)
      #expect(qualities == Set(qualities).sorted())
      #expect(answer.best?.quality == qualities.first)
      #expect((answer.almanac != nil) == (input.time != nil && input.coordinate != nil))
      for item in answer.weather {
        counts[item.quality, default: 0] += 1
        #expect(item.ageSeconds >= 0 && item.distanceMeters >= 0)
        switch item.quality {
        case .fresh:
          #expect(item.kind == input.report?.kind)
          #expect(item.weather == input.report?.now)
          #expect(item.isSimulated == input.report?.isSimulated)
          #expect(item.distanceMeters <= resolver.freshMeters)
          // The report was issued half an hour before its valid time.
          #expect(item.ageSeconds <= resolver.freshSeconds + 1800)
          #expect(input.coordinate != nil)
        case .stored:
          #expect(item.kind == .interpolated)
          #expect(item.distanceMeters <= resolver.storedMeters)
          #expect(item.ageSeconds <= resolver.storedSeconds)
          let temperature = try #require(item.weather.temperatureDegreesCelsius)
          #expect((10...130).contains(temperature))
          #expect(input.coordinate != nil && input.time != nil)
        case .sensor:
          #expect(item.kind == .sensor)
          #expect(item.ageSeconds <= resolver.sensorSeconds)
          #expect(item.weather.pressureSeaLevelHectopascals == nil || input.altitudeMetersAboveSeaLevel != nil)
        }
      }
    }
    // Check that every quality was exercised.
    for quality in WeatherAnswer.Quality.allCases { #expect(counts[quality, default: 0] > 200) }
  }

  @Test func `an instrument answer has the quality sensor, the receiver, and a separate water temperature`() throws {
    var input = input(after: 400_000)
    var reading = SensorReading(name: "instruments")
    reading.receiver = "/dev/ttyUSB0"
    reading.windSpeedMetersPerSecond = 6
    reading.windDirectionDegreesTrue = 330
    reading.waterTemperatureDegreesCelsius = 17.9
    reading.dewPointDegreesCelsius = 11
    reading.measuredAt = input.now.advanced(byNanoseconds: -4_000_000_000)
    input.sensor = reading
    let best = try #require(resolver.answer(input).best)
    #expect(best.quality == .sensor && best.kind == .sensor && best.ageSeconds == 4)
    #expect(best.receiver == "/dev/ttyUSB0" && !best.isSimulated)
    #expect(best.weather.windSpeedMetersPerSecond == 6)
    #expect(best.weather.windDirectionDegreesTrue == 330)
    #expect(best.weather.waterTemperatureDegreesCelsius == 17.9)
    #expect(best.weather.dewPointDegreesCelsius == 11)
    #expect(best.weather.temperatureDegreesCelsius == nil)
  }

  @Test(
    arguments: [(2, 1012.5, 1012.5), (30, 1012.5, 1012.5), (31, 1012.5, nil), (500, 955, nil)]
      as [(Double, Double, Double?)])
  func `a pressure that may already be reduced is used unchanged, and only near sea level`(
    meters: Double, stated: Double, expected: Double?
  ) {
    var input = input(after: 400_000)
    input.altitudeMetersAboveSeaLevel = meters
    input.sensor = SensorReading(name: "instruments")
    input.sensor?.pressureUnstatedHectopascals = stated
    input.sensor?.temperatureDegreesCelsius = 20
    input.sensor?.measuredAt = input.now
    let weather = resolver.answer(input).best?.weather
    #expect(weather?.temperatureDegreesCelsius == 20)
    #expect(weather?.pressureSeaLevelHectopascals == expected)
    // A station pressure takes precedence and is reduced.
    input.sensor?.pressureStationHectopascals = 1000
    let station = resolver.answer(input).best?.weather.pressureSeaLevelHectopascals
    #expect(station.map { abs($0 - 1000 - meters * 0.117) < 2 } == true)
  }
}
