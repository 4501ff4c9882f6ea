// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Instrument readings")
struct InstrumentReadingsTests {
  private static func reading(
    _ source: String, at second: Int64, _ change: (inout InstrumentReading) -> Void
  ) -> InstrumentReading {
    var reading = InstrumentReading(source: source)
    reading.receivedAt = .at(second)
    reading.time = UTCTime(secondsSince1970: 1_700_000_000 + second)
    change(&reading)
    return reading
  }

  @Test func `an instrument quantity keeps its value and age when another quantity is measured`() throws {
    var readings = InstrumentReadings()
    #expect(readings.isEmpty && readings.sensors(now: .at(0)).isEmpty)
    readings.take(Self.reading("a", at: 10) { $0.waterTemperatureDegreesCelsius = 17 })
    readings.take(Self.reading("a", at: 20) { $0.windSpeedMetersPerSecond = 5 })
    let sensor = try #require(readings.sensors(now: .at(30)).first)
    #expect(sensor.receiver == "a" && sensor.name == "instruments")
    #expect(sensor.waterTemperatureDegreesCelsius == 17 && sensor.windSpeedMetersPerSecond == 5)
    #expect(sensor.measuredAt == .at(10), "not the time of the oldest value")
    #expect(readings.newestTime == UTCTime(secondsSince1970: 1_700_000_020))
  }

  @Test func `an instrument value older than ten minutes is not used, live or from a recording`() throws {
    var readings = InstrumentReadings()
    readings.take(Self.reading("a", at: 0) { $0.airTemperatureDegreesCelsius = 12 })
    readings.take(Self.reading("a", at: 300) { $0.humidityPercent = 80 })
    for (second, temperature, humidity) in [
      (600, 12, 80), (601, nil, 80), (900, nil, 80), (901, nil, nil),
    ] as [(Int64, Double?, Double?)] {
      for sensors in [
        readings.sensors(now: .at(second)),
        readings.sensors(at: UTCTime(secondsSince1970: 1_700_000_000 + second), now: .at(5000)),
      ] {
        #expect(sensors.first?.temperatureDegreesCelsius == temperature, "\(second)")
        #expect(sensors.first?.humidityPercent == humidity, "\(second)")
      }
    }
    let recorded = readings.sensors(at: UTCTime(secondsSince1970: 1_700_000_400), now: .at(5000))
    #expect(recorded.first?.measuredAt == .at(4600))
    #expect(readings.sensors(at: UTCTime(secondsSince1970: 1_600_000_000), now: .at(0)) == [])
  }

  @Test func `values of a second receiver are used only after 30 s without values of the first receiver`() {
    var readings = InstrumentReadings()
    func receivers(_ second: Int64) -> [String?] {
      readings.sensors(now: .at(second)).map(\.receiver)
    }
    readings.take(Self.reading("a", at: 0) { $0.pressureStationHectopascals = 1013 })
    readings.take(Self.reading("b", at: 29) { $0.pressureStationHectopascals = 1009 })
    #expect(receivers(29) == ["a"])
    readings.take(Self.reading("b", at: 30) { $0.pressureStationHectopascals = 1009 })
    #expect(receivers(30) == ["b"])
    readings.take(Self.reading("a", at: 31) { $0.airTemperatureDegreesCelsius = 12 })
    #expect(receivers(31) == ["a", "b"], "another quantity of the first receiver is missing")
  }

  @Test func `an instrument reading with a simulated value is marked as simulated`() {
    var readings = InstrumentReadings()
    readings.take(Self.reading("a", at: 0) { $0.humidityPercent = 50 })
    #expect(readings.sensors(now: .at(1)).map(\.isSimulated) == [false])
    readings.take(
      Self.reading("a", at: 1) {
        $0.windSpeedMetersPerSecond = 3
        $0.isSimulated = true
      })
    #expect(readings.sensors(now: .at(1)).map(\.isSimulated) == [true])
  }
}
