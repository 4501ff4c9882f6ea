// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import Daemon

@Suite("Weather queries")
struct WeatherQueriesTests {

  private func weatherQueries(sensors: String) -> WeatherQueries {
    WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: sensors),
      utcNow: { .noon }, now: { .at(1) })
  }

  private func writeSensor(in folder: borrowing ScratchFolder) throws {
    try folder.write("iio:device0/name", "bme280\n")
    try folder.write("iio:device0/in_temp_input", "21500\n")
    try folder.write("iio:device0/in_pressure_input", "100.000000\n")
    try folder.write("iio:device0/in_humidityrelative_input", "45000\n")
  }

  @Test func `without a provider, weather queries use the board's own sensor`() async throws {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
    question.altitudeMetersAboveSeaLevel = 100
    question.altitudeAccuracy = Accuracy(meters: 10, confidencePercent: 95, basis: .receiver)
    let outlook = await weatherQueries(sensors: folder.path).answer(question)
    let best = try #require(outlook.resolved.best)
    #expect(best.kind == .sensor && best.provider == "bme280")
    #expect(best.weather.temperatureDegreesCelsius == 21.5)
    #expect(abs((best.weather.pressureSeaLevelHectopascals ?? 0) - 1011.7) < 0.5)
    #expect(outlook.failure != nil && outlook.days.isEmpty)
    #expect(outlook.resolved.almanac?.light == .day)
    #expect(outlook.place != nil)
  }

  @Test func `an altitude of unknown accuracy is not used to reduce a pressure`() async throws {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
    question.altitudeMetersAboveSeaLevel = 100
    let best = await weatherQueries(sensors: folder.path).answer(question).resolved.best
    #expect(best?.weather.temperatureDegreesCelsius == 21.5)
    #expect(best?.weather.pressureSeaLevelHectopascals == nil)
  }

  @Test func `weather queries read the board's sensors below FIXCAST_ROOT`() async throws {
    let folder = try ScratchFolder()
    let device = "sys/bus/iio/devices/iio:device0"
    try folder.write("\(device)/name", "bme280\n")
    try folder.write("\(device)/in_temp_input", "-4500\n")
    try folder.write("\(device)/in_humidityrelative_input", "45000\n")
    let configuration = WeatherServiceConfiguration(
      sources: [],
      environment: [
        "FIXCAST_ROOT": folder.path, "FIXCAST_STATE_DIRECTORY": folder.path + "/state",
        "XDG_RUNTIME_DIR": "/user",
      ], isRoot: false)
    #expect(configuration.storePath == folder.path + "/state/weather.sqlite")
    let question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
    let queries = configuration.weatherQueries(configuration.service { _ in })
    let outlook = await queries.answer(question)
    #expect(outlook.resolved.best?.weather.temperatureDegreesCelsius == -4.5)
  }

  @Test func `weather queries for other locations do not use the board's sensor`() async throws {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    let question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: false)
    let outlook = await weatherQueries(sensors: folder.path).answer(question)
    #expect(outlook.resolved.best == nil && outlook.resolved.almanac != nil)
  }

  private static let here = Accuracy(meters: 10, confidencePercent: 95, basis: .receiver)

  private static func instruments(_ change: (inout SensorReading) -> Void) -> SensorReading {
    var reading = SensorReading(name: "instruments")
    reading.receiver = "/dev/ttyUSB0"
    reading.measuredAt = MonotonicTime(nanoseconds: 400_000_000)
    change(&reading)
    return reading
  }

  @Test func `instruments are preferred to the board's own sensor, which adds missing values`()
    async throws
  {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
    question.instruments = [Self.instruments { $0.temperatureDegreesCelsius = 12.5 }]
    let best = try #require(await weatherQueries(sensors: folder.path).answer(question).resolved.best)
    #expect(best.provider == "instruments+bme280" && best.receiver == "/dev/ttyUSB0")
    #expect(best.weather.temperatureDegreesCelsius == 12.5)
    #expect(best.weather.humidityPercent == 45)
    #expect(abs(best.ageSeconds - 0.6) < 1e-9)
  }

  @Test func `a recording's instruments are used at the recorded time`() async throws {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: false)
    question.instruments = [Self.instruments { $0.waterTemperatureDegreesCelsius = 17.9 }]
    question.time = UTCTime(secondsSince1970: 1_500_000_000)
    let outlook = await weatherQueries(sensors: folder.path).stored(question)
    #expect(outlook.time == question.time)
    #expect(outlook.resolved.best?.weather.waterTemperatureDegreesCelsius == 17.9)
    #expect(outlook.resolved.best?.weather.temperatureDegreesCelsius == nil)
    #expect(outlook.pressureTendencyHectopascals == nil)
  }

  @Test func `an instrument's pressure has a tendency while the board is stationary`() async throws {
    let clock = Mutex(MonotonicTime.at(0))
    let weatherQueries = WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: "/nowhere"),
      pressureLog: PressureLog(path: nil), utcNow: { .noon },
      now: { clock.withLock { $0 } })
    var schedule = OutlookSchedule()
    var readings = InstrumentReadings()
    var tendencies: [Double?] = []
    for minute in 0...180 where minute % 5 == 0 {
      let now = MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
      clock.withLock { $0 = now }
      var reading = InstrumentReading(source: "/dev/ttyUSB0")
      reading.receivedAt = now
      reading.pressureUnstatedHectopascals = 1013 - Double(minute) * 0.01
      readings.take(reading)
      let early = schedule.question(after: InstrumentEvent(readings), at: now, isAtBoard: true)
      let location = SceneEvents.location(at: Double(minute) * 60)
      let due = schedule.question(after: location, at: now, isAtBoard: true)
      let question = try #require(early ?? due)
      tendencies.append(await weatherQueries.stored(question).pressureTendencyHectopascals)
    }
    #expect(tendencies.prefix(34).allSatisfy { $0 == nil })
    #expect(abs(try #require(tendencies.last ?? nil) + 1.8) < 1e-9)
  }

  @Test func `the pressure tendency uses the time of each measurement`() async throws {
    let clock = Mutex(MonotonicTime.at(0))
    let weatherQueries = WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: "/nowhere"),
      pressureLog: PressureLog(path: nil), utcNow: { .noon },
      now: { clock.withLock { $0 } })
    var tendency: Double?
    for minute in 0...180 where minute % 5 == 0 {
      let now = MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
      clock.withLock { $0 = now }
      var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
      question.seenAt = now
      question.instruments = [
        Self.instruments {
          $0.pressureUnstatedHectopascals = minute == 180 ? 998.25 : 1000
          $0.measuredAt = MonotonicTime(nanoseconds: minute == 180 ? 175 * 60_000_000_000 : 0)
        }
      ]
      tendency = await weatherQueries.stored(question).pressureTendencyHectopascals
    }
    // The pressure has changed by 1.75 hPa in 175 minutes.
    #expect(abs(try #require(tendency) + 1.8) < 1e-9)
  }

  @Test func `a pressure history without a sensor name is continued with the board's own sensor`()
    async throws
  {
    let folder = try ScratchFolder()
    try writeSensor(in: folder)
    let path = folder.path + "/pressure.json"
    @Sendable func time(_ minute: Int) -> MonotonicTime {
      MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
    }
    var question = WeatherQueries.Question(at: .at(51.5, 0), isAtBoard: true)
    for minute in 0...175 where minute % 5 == 0 {
      question.seenAt = time(minute)
      _ = PressureLog(path: path, boot: "one").take(stationHectopascals: 1000, question, now: time(minute))
    }
    question.seenAt = time(180)
    let weatherQueries = WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: folder.path),
      pressureLog: PressureLog(path: path, boot: "one"), utcNow: { .noon },
      now: { time(180) })
    #expect(await weatherQueries.stored(question).pressureTendencyHectopascals == 0)
  }
}
