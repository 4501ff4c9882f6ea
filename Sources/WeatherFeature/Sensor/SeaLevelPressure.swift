// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import WeatherClient

/// The pressure at a sensor, reduced to sea level for comparison with weather maps.
///
/// Uses the formula of the WMO's "Guide to Instruments and Methods of Observation" (WMO-No. 8,
/// volume I, chapter 3) for low stations:
///
///     p0 = p exp(0.034163 h / (T + 0.0065 h / 2 + 0.12 e))
///
/// The height h is in metres, and the temperature T is in kelvins. The pressure e of water vapour,
/// in hectopascals, is computed with Magnus' formula from chapter 4.
public struct SeaLevelPressure: Equatable, Hashable, Sendable {
  /// The heights above sea level in metres for which the reduction is meaningful.
  ///
  /// At greater heights, the result depends mostly on assumptions about the air between the sensor
  /// and sea level.
  public static let altitudesMeters = -450.0...2500
  /// The maximum error of the height in metres at 95 % confidence: 30 m, equivalent to 3.6 hPa.
  public static let worstAltitudeMeters = 30.0

  /// The range of sea-level pressures measured on Earth, in hectopascals.
  private static let possibleHectopascals = 850.0...1100

  /// The pressure in hectopascals.
  public let hectopascals: Double
  /// The error in hectopascals at 95 % confidence that is caused by the error of the height, or
  /// `nil` if the accuracy of the height is unknown.
  public let uncertaintyHectopascals: Double?

  /// Reduces a pressure to sea level.
  ///
  /// Returns `nil` if the height is outside ``altitudesMeters``, if the error of the height exceeds
  /// ``worstAltitudeMeters``, or if the result is outside 850 to 1100 hPa.
  ///
  /// - Parameters:
  ///   - stationHectopascals: The pressure at the sensor.
  ///   - altitude: The height of the sensor in metres above mean sea level.
  ///   - altitudeAccuracy: The accuracy of the height.
  ///   - temperatureDegreesCelsius: The air temperature, or `nil` to use the temperature of the
  ///     standard atmosphere at this height. At 300 m, a temperature 10 degrees too high lowers the
  ///     result by 1 hPa.
  ///   - humidityPercent: The relative humidity; `nil` for dry air.
  public init?(
    stationHectopascals: Double, altitudeMetersAboveSeaLevel altitude: Double,
    altitudeAccuracy: Accuracy? = nil, temperatureDegreesCelsius: Double? = nil,
    humidityPercent: Double? = nil
  ) {
    let error = altitudeAccuracy?.verticalMeters(atConfidencePercent: 95)
    guard Self.altitudesMeters.contains(altitude), (error ?? 0) <= Self.worstAltitudeMeters else {
      return nil
    }
    let temperature = temperatureDegreesCelsius ?? 15 - 0.0065 * altitude
    let saturation = 6.112 * exp(17.62 * temperature / (243.12 + temperature))
    let vapour = (humidityPercent ?? 0) / 100 * saturation
    let mean = temperature + 273.15 + 0.0065 * altitude / 2 + 0.12 * vapour
    let reduced = stationHectopascals * exp(0.034_163 * altitude / mean)
    guard Self.possibleHectopascals.contains(reduced) else { return nil }
    hectopascals = reduced
    uncertaintyHectopascals = error.map { reduced * 0.034_163 * $0 / mean }
  }

  /// Returns the pressure at sea level from a reading.
  ///
  /// A pressure that may already be reduced (sentence MDA) is used unchanged within
  /// ``worstAltitudeMeters`` of sea level, as on a boat. At other heights, such a pressure is not
  /// used, since the possible error is larger.
  ///
  /// - Parameters:
  ///   - reading: The reading.
  ///   - altitude: The height of the sensor in metres above mean sea level.
  ///   - altitudeAccuracy: The accuracy of the height.
  /// - Returns: The pressure in hectopascals, or `nil` if the reading has no usable pressure.
  static func hectopascals(
    of reading: SensorReading, altitudeMetersAboveSeaLevel altitude: Double,
    altitudeAccuracy: Accuracy?
  ) -> Double? {
    if let station = reading.pressureStationHectopascals {
      return SeaLevelPressure(
        stationHectopascals: station, altitudeMetersAboveSeaLevel: altitude,
        altitudeAccuracy: altitudeAccuracy,
        temperatureDegreesCelsius: reading.temperatureDegreesCelsius,
        humidityPercent: reading.humidityPercent)?.hectopascals
    }
    guard abs(altitude) <= worstAltitudeMeters, let unstated = reading.pressureUnstatedHectopascals,
      possibleHectopascals.contains(unstated)
    else { return nil }
    return unstated
  }
}
