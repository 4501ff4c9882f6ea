// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import Testing
import WeatherClient
import WeatherClientLive

@Suite("Industrial I/O sensors")
struct IIOSensorsTests {
  private let now = MonotonicTime(nanoseconds: 42)

  private func read(
    name: String? = "bme280", _ attributes: [String: String?]
  ) throws -> [SensorReading] {
    let tree = try FakeIIO()
    try tree.add(0, name: name, attributes)
    return IIOSensors(root: tree.root).read(now: now)
  }

  @Test func `a BME280 measures temperature, pressure and humidity`() throws {
    let readings = try read([
      "in_temp_input": "23450\n", "in_pressure_input": "101.325000000\n",
      "in_humidityrelative_input": "45123\n", "in_temp_oversampling_ratio": "2\n",
    ])
    let reading = try #require(readings.first)
    #expect(readings.count == 1)
    #expect(reading.name == "bme280")
    #expect(reading.temperatureDegreesCelsius.map { abs($0 - 23.45) < 1e-9 } == true)
    #expect(reading.pressureStationHectopascals.map { abs($0 - 1013.25) < 1e-9 } == true)
    #expect(reading.humidityPercent.map { abs($0 - 45.123) < 1e-9 } == true)
    #expect(reading.measuredAt == now)
    #expect(reading.faults == [])
  }

  @Test func `a BMP280 measures no humidity, which is not reported as a fault`() throws {
    let reading = try #require(
      try read(name: "bmp280", ["in_temp_input": "-5010\n", "in_pressure_input": "98.765432100\n"])
        .first)
    #expect(reading.name == "bmp280")
    #expect(reading.temperatureDegreesCelsius.map { abs($0 + 5.01) < 1e-9 } == true)
    #expect(reading.pressureStationHectopascals.map { abs($0 - 987.654321) < 1e-9 } == true)
    #expect(reading.humidityPercent == nil)
    #expect(reading.faults == [])
  }

  @Test func `raw sensor values are converted with offset and scale, and a missing scale is a fault`() throws {
    let reading = try #require(
      try read(
        name: "hts221",
        [
          "in_temp_raw": "524\n", "in_temp_offset": "-153.125000\n", "in_temp_scale": "62.5\n",
          "in_humidityrelative_raw": "12000\n", "in_humidityrelative_scale": "4.000000\n",
          "in_pressure_raw": "4000000\n",
        ]
      ).first)
    #expect(reading.temperatureDegreesCelsius.map { abs($0 - 23.1796875) < 1e-9 } == true)
    #expect(reading.humidityPercent.map { abs($0 - 48) < 1e-9 } == true)
    #expect(reading.pressureStationHectopascals == nil)
    #expect(reading.faults == [SensorFault(.pressure, .withoutScale)])
  }

  @Test(arguments: [
    "", "\n", "nan\n", "inf", "0x17", "1e4", "--5", "12 34", "23450 \n", "12,5", "\u{FFFD}",
    "-", ".", "1.2.3", String(repeating: "9", count: 400),
  ])
  func `a sensor attribute that is not a plain decimal number causes a fault instead of a value`(text: String) throws {
    let reading = try #require(
      try read(["in_temp_input": text, "in_pressure_input": "101.325\n"]).first)
    #expect(reading.temperatureDegreesCelsius == nil)
    #expect(reading.pressureStationHectopascals != nil)
    let fault = try #require(reading.faults.first)
    #expect(reading.faults.count == 1 && fault.quantity == .temperature)
    switch fault.reason {
    case .notANumber(let excerpt):
      #expect(excerpt.utf8.count <= 24 && excerpt.utf8.allSatisfy { $0 > 31 })
    case .outOfRange: #expect(text.hasPrefix("999"))
    default: Issue.record("\(fault)")
    }
  }

  @Test(
    arguments: [
      ("in_temp_input", "85001", .temperature), ("in_temp_input", "-90001", .temperature),
      ("in_pressure_input", "29.9", .pressure), ("in_pressure_input", "110.1", .pressure),
      ("in_pressure_input", "101325", .pressure), ("in_pressure_input", "0", .pressure),
      ("in_humidityrelative_input", "0", .humidity),
      ("in_humidityrelative_input", "45", .humidity),
      ("in_humidityrelative_input", "100001", .humidity),
      ("in_humidityrelative_input", "-1", .humidity),
    ] as [(String, String, SensorFault.Quantity)])
  func `an implausible sensor measurement causes a fault`(
    attribute: String, text: String, quantity: SensorFault.Quantity
  ) throws {
    var attributes: [String: String?] = [
      "in_pressure_input": "100", "in_humidityrelative_input": "50000",
    ]
    attributes[attribute] = text
    let reading = try #require(try read(attributes).first)
    #expect(reading.faults.map(\.quantity) == [quantity])
    guard case .outOfRange = reading.faults.first?.reason else {
      Issue.record("\(reading.faults)")
      return
    }
    switch quantity {
    case .temperature: #expect(reading.temperatureDegreesCelsius == nil)
    case .pressure: #expect(reading.pressureStationHectopascals == nil)
    case .humidity: #expect(reading.humidityPercent == nil)
    }
  }

  @Test func `an unreadable sensor attribute causes a fault with the errno, and the others are read`() throws {
    let reading = try #require(
      try read([
        "in_temp_input": nil, "in_pressure_input": "101.325", "in_humidityrelative_raw": nil,
      ]).first)
    #expect(
      reading.faults == [
        SensorFault(.temperature, .unreadable(code: EISDIR)),
        SensorFault(.humidity, .unreadable(code: EISDIR)),
      ])
    #expect(reading.pressureStationHectopascals != nil)
    let broken = try #require(try read(["in_pressure_input": nil]).first)
    #expect(broken.isEmpty && broken.faults.count == 1)
  }

  @Test func `a device without pressure and humidity is ignored unless it is a known thermometer`() throws {
    #expect(try read(name: "mpu6050", ["in_temp_input": "41000"]) == [])
    #expect(try read(name: nil, ["in_temp_input": "41000"]) == [])
    #expect(try read(name: "ads1115", ["in_voltage0_raw": "41000"]) == [])
    #expect(try read(name: "tmp117", ["in_temp_input": "21000"]).map(\.name) == ["tmp117"])
  }

  @Test func `sensor readings are in the order of the device numbers, and empty without devices`() throws {
    #expect(IIOSensors(root: "/nonexistent/iio").read(now: now) == [])
    let tree = try FakeIIO()
    #expect(IIOSensors(root: tree.root).read(now: now) == [])
    try tree.add(10, name: "ten", ["in_pressure_input": "100"])
    try tree.add(2, name: nil, ["in_pressure_input": "99"])
    try tree.add(3, name: "sht4x", ["in_temp_input": "9000", "in_humidityrelative_input": "50000"])
    let readings = IIOSensors(root: tree.root).read(now: now)
    #expect(readings.map(\.name) == ["iio:device2", "sht4x", "ten"])
    let combined = try #require(SensorReading.combined(readings))
    #expect(combined.name == "iio:device2+sht4x")
    #expect(combined.pressureStationHectopascals == 990)
    #expect(combined.humidityPercent == 50)
    #expect(SensorReading.combined([SensorReading(name: "dead")]) == nil)
  }
}
