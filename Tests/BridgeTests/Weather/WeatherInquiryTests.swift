// SPDX-License-Identifier: Apache-2.0

import Bridge
import FixcastTesting
import Positioning
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@Suite("An inquiry about the weather")
struct WeatherInquiryTests {
  private static let noon = UTCTime(secondsSince1970: 1_795_262_400)

  private func inquiry(sensors: String) -> WeatherInquiry {
    WeatherInquiry(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: sensors),
      utcNow: { Self.noon }, now: { MonotonicTime(nanoseconds: 1_000_000_000) })
  }

  private func sensor(in folder: borrowing ScratchFolder) throws {
    try folder.write("iio:device0/name", "bme280\n")
    try folder.write("iio:device0/in_temp_input", "21500\n")
    try folder.write("iio:device0/in_pressure_input", "100.000000\n")
    try folder.write("iio:device0/in_humidityrelative_input", "45000\n")
  }

  @Test func `where nobody can be asked the board's own sensor answers for where the board is`()
    async throws
  {
    let folder = try ScratchFolder()
    try sensor(in: folder)
    var question = WeatherInquiry.Question(at: .at(51.5, 0), isHere: true)
    question.altitudeMetersAboveSeaLevel = 100
    question.altitudeAccuracy = Accuracy(meters: 10, confidencePercent: 95, basis: .receiver)
    let outlook = await inquiry(sensors: folder.path).answer(question)
    let best = try #require(outlook.ladder.best)
    #expect(best.kind == .sensor && best.provider == "bme280")
    #expect(best.weather.temperatureDegreesCelsius == 21.5)
    #expect(abs((best.weather.pressureSeaLevelHectopascals ?? 0) - 1011.7) < 0.5)
    #expect(outlook.failure != nil && outlook.days.isEmpty)
    #expect(outlook.ladder.almanac?.light == .day)
    #expect(outlook.place != nil)
  }

  @Test func `a height whose error nobody knows reduces no pressure`() async throws {
    let folder = try ScratchFolder()
    try sensor(in: folder)
    var question = WeatherInquiry.Question(at: .at(51.5, 0), isHere: true)
    question.altitudeMetersAboveSeaLevel = 100
    let best = await inquiry(sensors: folder.path).answer(question).ladder.best
    #expect(best?.weather.temperatureDegreesCelsius == 21.5)
    #expect(best?.weather.pressureSeaLevelHectopascals == nil)
  }

  @Test func `the sensors of an image are read, and not the machine's own`() async throws {
    let folder = try ScratchFolder()
    let device = "sys/bus/iio/devices/iio:device0"
    try folder.write("\(device)/name", "bme280\n")
    try folder.write("\(device)/in_temp_input", "-4500\n")
    try folder.write("\(device)/in_humidityrelative_input", "45000\n")
    let supply = WeatherSupply(
      sources: [],
      environment: [
        "FIXCAST_ROOT": folder.path, "FIXCAST_STATE_DIRECTORY": folder.path + "/state",
        "XDG_RUNTIME_DIR": "/user",
      ], isRoot: false)
    #expect(supply.storePath == folder.path + "/state/weather.sqlite")
    let question = WeatherInquiry.Question(at: .at(51.5, 0), isHere: true)
    let outlook = await supply.inquiry(supply.service { _ in }).answer(question)
    #expect(outlook.ladder.best?.weather.temperatureDegreesCelsius == -4.5)
  }

  @Test func `elsewhere the board's sensor has no say`() async throws {
    let folder = try ScratchFolder()
    try sensor(in: folder)
    let question = WeatherInquiry.Question(at: .at(51.5, 0), isHere: false)
    let outlook = await inquiry(sensors: folder.path).answer(question)
    #expect(outlook.ladder.best == nil && outlook.ladder.almanac != nil)
  }
}
