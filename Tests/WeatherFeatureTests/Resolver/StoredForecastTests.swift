// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Stored forecast")
struct StoredForecastTests {
  private let start: UTCTime = "2026-11-21T12:00:00"

  private func sample(
    _ seconds: Int64, lasting duration: Int = 3600, _ fill: (inout CurrentWeather) -> Void
  ) -> ForecastSample {
    var weather = CurrentWeather()
    fill(&weather)
    return ForecastSample(
      time: start.adding(seconds: seconds), durationSeconds: duration, weather: weather)
  }

  private func forecast(_ samples: ForecastSample...) -> StoredForecast {
    StoredForecast(coordinate: .at(51.5, 0), issuedAt: start, provider: "test", samples: samples)
  }

  @Test func `a stored forecast interpolates temperature, pressure and humidity linearly`() throws {
    let forecast = forecast(
      sample(0) {
        $0.temperatureDegreesCelsius = 10
        $0.pressureSeaLevelHectopascals = 1000
        $0.humidityPercent = 80
        $0.cloudCoverPercent = 0
      },
      sample(3600) {
        $0.temperatureDegreesCelsius = 14
        $0.pressureSeaLevelHectopascals = 1002
        $0.humidityPercent = 60
      })
    let quarter = try #require(forecast.weather(at: start.adding(seconds: 900)))
    #expect(quarter.temperatureDegreesCelsius == 11)
    #expect(quarter.pressureSeaLevelHectopascals == 1000.5)
    #expect(quarter.humidityPercent == 75)
    // The interpolated value is nil if only one of the two samples has a value.
    #expect(quarter.cloudCoverPercent == nil)
    #expect(forecast.weather(at: start)?.cloudCoverPercent == 0)
  }

  @Test(
    arguments: [
      (315, 45, 0), (350, 20, 5), (20, 350, 5), (90, 180, 135), (180, 270, 225), (0, 90, 45),
    ] as [(Double, Double, Double)])
  func `the wind direction is interpolated through the smaller angle, even across north`(
    from: Double, to: Double, middle: Double
  ) throws {
    let forecast = forecast(
      sample(0) {
        $0.windSpeedMetersPerSecond = 10
        $0.windDirectionDegreesTrue = from
      },
      sample(3600) {
        $0.windSpeedMetersPerSecond = 10
        $0.windDirectionDegreesTrue = to
      })
    let weather = try #require(forecast.weather(at: start.adding(seconds: 1800)))
    let direction = try #require(weather.windDirectionDegreesTrue)
    #expect(abs((direction - middle).remainder(dividingBy: 360)) < 1e-6)
    #expect((0..<360).contains(direction))
    #expect(try #require(weather.windSpeedMetersPerSecond) <= 10)
  }

  @Test func `halfway between opposite winds, the wind speed is 0 and the direction is nil`() throws {
    let opposite = forecast(
      sample(0) {
        $0.windSpeedMetersPerSecond = 5
        $0.windDirectionDegreesTrue = 90
      },
      sample(3600) {
        $0.windSpeedMetersPerSecond = 5
        $0.windDirectionDegreesTrue = 270
      })
    let calmest = try #require(opposite.weather(at: start.adding(seconds: 1800)))
    #expect(try #require(calmest.windSpeedMetersPerSecond) < 1e-9)
    #expect(calmest.windDirectionDegreesTrue == nil)
    let rising = forecast(
      sample(0) { $0.windSpeedMetersPerSecond = 0 },
      sample(3600) {
        $0.windSpeedMetersPerSecond = 8
        $0.windDirectionDegreesTrue = 200
      })
    let wind = try #require(rising.weather(at: start.adding(seconds: 900)))
    #expect(wind.windSpeedMetersPerSecond.map { abs($0 - 2) < 1e-9 } == true)
    #expect(wind.windDirectionDegreesTrue.map { abs($0 - 200) < 1e-9 } == true)
    // Without directions, only the speed is interpolated.
    let scalar = forecast(
      sample(0) { $0.windSpeedMetersPerSecond = 4 },
      sample(3600) { $0.windSpeedMetersPerSecond = 8 })
    let middle = scalar.weather(at: start.adding(seconds: 1800))
    #expect(middle?.windSpeedMetersPerSecond == 6)
    #expect(middle?.windDirectionDegreesTrue == nil)
  }

  @Test func `condition and hourly precipitation are constant for the duration of a forecast step`() throws {
    let forecast = forecast(
      sample(0, lasting: 21_600) {
        $0.condition = .rain
        $0.precipitationMillimeters = 6
      },
      sample(21_600, lasting: 3600) {
        $0.condition = .clear
        $0.precipitationMillimeters = 0
      },
      sample(36_000, lasting: 0) { $0.temperatureDegreesCelsius = 3 })
    func at(_ seconds: Int64) -> CurrentWeather? {
      forecast.weather(at: start.adding(seconds: seconds))
    }
    #expect(at(0)?.condition == .rain && at(0)?.precipitationMillimeters == 1)
    #expect(at(21_599)?.condition == .rain && at(21_599)?.precipitationMillimeters == 1)
    #expect(at(21_600)?.condition == .clear && at(21_600)?.precipitationMillimeters == 0)
    #expect(at(25_199)?.condition == .clear)
    // The first step has ended, and the next step has not begun.
    #expect(at(25_200) != nil && at(25_200)?.condition == nil)
    #expect(at(25_200)?.precipitationMillimeters == nil)
    #expect(at(36_000)?.temperatureDegreesCelsius == 3 && at(36_000)?.condition == nil)
  }

  @Test func `a forecast is nil before the first sample, after the last sample, and in a long gap`() {
    let fill: (inout CurrentWeather) -> Void = { $0.temperatureDegreesCelsius = 1 }
    let forecast = forecast(
      sample(50_000, fill), sample(0, fill), sample(21_600, fill), sample(21_600) { _ in })
    func hasWeather(_ seconds: Int64) -> Bool {
      forecast.weather(at: start.adding(seconds: seconds)) != nil
    }
    #expect(forecast.samples.count == 3)
    #expect(!hasWeather(-1) && hasWeather(0) && hasWeather(21_599) && hasWeather(21_600))
    #expect(!hasWeather(21_601) && !hasWeather(49_999) && hasWeather(50_000) && !hasWeather(50_001))
    let empty = StoredForecast(
      coordinate: .at(0, 0), issuedAt: start, provider: "test", samples: [])
    #expect(empty.weather(at: start) == nil)
  }

  @Test func `interpolated forecast values are always between the values of the adjacent samples`() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<3000 {
      func weather() -> CurrentWeather {
        var weather = CurrentWeather()
        weather.temperatureDegreesCelsius = .random(in: -60...55, using: &random)
        weather.pressureSeaLevelHectopascals = .random(in: 870...1085, using: &random)
        weather.windSpeedMetersPerSecond = .random(in: 0...60, using: &random)
        weather.windDirectionDegreesTrue = .random(in: 0..<360, using: &random)
        weather.condition = [.clear, .rain, .unknown(code: "7")].randomElement(using: &random)
        return weather
      }
      let span = Int64.random(in: 1...21_600, using: &random)
      let (first, second) = (weather(), weather())
      let forecast = forecast(
        sample(0, lasting: Int(span)) { $0 = first }, sample(span) { $0 = second })
      let seconds = Int64.random(in: 0..<span, using: &random)
      let interpolated = try #require(forecast.weather(at: start.adding(seconds: seconds)))
      func check(_ field: KeyPath<CurrentWeather, Double?>) throws {
        let (low, high) = try (#require(first[keyPath: field]), #require(second[keyPath: field]))
        #expect(
          (min(low, high)...max(low, high)).contains(try #require(interpolated[keyPath: field])))
      }
      try check(\.temperatureDegreesCelsius)
      try check(\.pressureSeaLevelHectopascals)
      #expect(interpolated.condition == first.condition)
      let fastest = max(
        first.windSpeedMetersPerSecond ?? 0, second.windSpeedMetersPerSecond ?? 0)
      #expect(try #require(interpolated.windSpeedMetersPerSecond) <= fastest + 1e-9)
      if let direction = interpolated.windDirectionDegreesTrue,
        let from = first.windDirectionDegreesTrue, let to = second.windDirectionDegreesTrue
      {
        // The direction is within the smaller angle between the two directions.
        let whole = (to - from).remainder(dividingBy: 360)
        let part = (direction - from).remainder(dividingBy: 360)
        let isBetween =
          whole >= 0
          ? part >= -1e-6 && part <= whole + 1e-6
          : part <= 1e-6 && part >= whole - 1e-6
        #expect(isBetween)
      }
    }
  }
}
