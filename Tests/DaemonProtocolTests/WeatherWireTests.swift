// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Positioning
import Testing

@Suite("Instrument readings in weather objects") struct WeatherWireTests {
  private static let now = MonotonicTime(nanoseconds: 50_000_000_000)

  @Test(arguments: [
    #"{"class":"WEATHER","kind":"sensor","provider":"instruments","age":40,"#
      + #""device":"/dev/ttyUSB0","pressure":1012.5,"waterTemperature":17.9}"#,
    #"{"class":"WEATHER","kind":"forecast","temperature":3.0,"measured":{"age":40,"#
      + #""provider":"instruments","device":"/dev/ttyUSB0","pressure":1012.5,"waterTemperature":17.9}}"#,
  ])
  func `instrument readings are decoded from measured weather, with or without a forecast`(json: String) throws {
    let event = try DaemonEvent(json: Array(json.utf8), now: Self.now)
    var reading = InstrumentReading(source: "/dev/ttyUSB0")
    reading.receivedAt = MonotonicTime(nanoseconds: 10_000_000_000)
    reading.pressureSeaLevelHectopascals = 1012.5
    reading.waterTemperatureDegreesCelsius = 17.9
    #expect(event.instruments(now: Self.now) == reading)
  }

  @Test(arguments: [
    #"{"class":"WEATHER","kind":"sensor","provider":"instruments+bme280","age":40,"#
      + #""device":"/dev/ttyUSB0","temperature":21.5,"waterTemperature":17.9}"#,
    #"{"class":"WEATHER","kind":"forecast","measured":{"age":40,"#
      + #""provider":"instruments+bme280","device":"/dev/ttyUSB0","humidity":45.0}}"#,
  ])
  func `weather that combines instruments and the board's own sensor has no instrument readings`(json: String) throws {
    #expect(try DaemonEvent(json: Array(json.utf8), now: nil).instruments(now: Self.now) == nil)
  }

  @Test(arguments: [
    #"{"class":"WEATHER","kind":"forecast","temperature":3.0}"#,
    #"{"class":"WEATHER","kind":"sensor","provider":"bme280","age":0,"temperature":21.5}"#,
    #"{"class":"PATH","provider":"instruments","device":"x","kind":"sensor","temperature":21.5}"#,
    #"{"class":"WEATHER","kind":"sensor","provider":"instruments","device":"x","#
      + #""temperature":"warm"}"#,
  ])
  func `weather from a provider or from the board's own sensor has no instrument readings`(json: String) throws {
    #expect(try DaemonEvent(json: Array(json.utf8), now: nil).instruments(now: Self.now) == nil)
  }
}
