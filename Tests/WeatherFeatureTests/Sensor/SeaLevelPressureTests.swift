// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing
import WeatherFeature

@Suite("Sea-level pressure")
struct SeaLevelPressureTests {
  /// The arguments are height, pressure and temperature of the standard atmosphere (ISO 2533).
  @Test(
    arguments: [
      (-400, 1062.22, 17.6), (0, 1013.25, 15), (100, 1001.29, 14.35), (500, 954.61, 11.75),
      (1000, 898.75, 8.5), (2000, 794.95, 2),
    ] as [(Double, Double, Double)])
  func `a pressure of the standard atmosphere is reduced to 1013.25 hPa`(
    altitude: Double, pressure: Double, temperature: Double
  ) throws {
    for measured in [temperature, nil] {
      let reduced = try #require(
        SeaLevelPressure(
          stationHectopascals: pressure, altitudeMetersAboveSeaLevel: altitude,
          temperatureDegreesCelsius: measured))
      #expect(abs(reduced.hectopascals - 1013.25) < 0.15)
      #expect(reduced.uncertaintyHectopascals == nil)
    }
  }

  @Test func `in warmer or moister air, the pressure reduced to sea level is lower`() throws {
    func reduced(_ temperature: Double, _ humidity: Double?) throws -> Double {
      try #require(
        SeaLevelPressure(
          stationHectopascals: 970, altitudeMetersAboveSeaLevel: 300,
          temperatureDegreesCelsius: temperature, humidityPercent: humidity)
      ).hectopascals
    }
    // Calculated by hand: 970 exp(10.2489 / (293.15 + 0.975)) for dry air. Humidity adds
    // 0.12 * 23.37 hPa * 0.5 to the denominator.
    #expect(try abs(reduced(20, nil) - 1004.396) < 0.01)
    #expect(try abs(reduced(20, 50) - 1004.230) < 0.01)
    let loss = try reduced(10, nil) - reduced(20, nil)
    #expect((1...1.3).contains(loss))
  }

  @Test func `the altitude error determines the uncertainty of a sea-level pressure; nil above 30 m`() throws {
    func reduced(_ meters: Double, _ confidence: Double) -> SeaLevelPressure? {
      SeaLevelPressure(
        stationHectopascals: 1000, altitudeMetersAboveSeaLevel: 50,
        altitudeAccuracy: Accuracy(meters: meters, confidencePercent: confidence, basis: .receiver))
    }
    let uncertainty = try #require(reduced(8, 95)?.uncertaintyHectopascals)
    #expect((0.9...1).contains(uncertainty))
    #expect(reduced(30, 95) != nil)
    #expect(reduced(31, 95) == nil)
    // A standard deviation of 16 m corresponds to 31 m at 95 % confidence.
    #expect(reduced(16, 68.27) == nil)
  }

  @Test func `the reduction to sea level returns nil for implausible heights and pressures`() {
    func reduced(_ pressure: Double, _ altitude: Double) -> SeaLevelPressure? {
      SeaLevelPressure(stationHectopascals: pressure, altitudeMetersAboveSeaLevel: altitude)
    }
    #expect(reduced(720, 2501) == nil)
    #expect(reduced(1013, .nan) == nil)
    #expect(reduced(.nan, 10) == nil)
    #expect(reduced(700, 10) == nil)
    #expect(reduced(1100, 1000) == nil)
  }
}
