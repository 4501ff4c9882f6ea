// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import WeatherClient

/// The pressure of a sensor, reduced to sea level so that it can be compared with a map's.
///
/// By the formula of the WMO's "Guide to Instruments and Methods of Observation" (WMO-No. 8, volume
/// I, chapter 3) for low stations:
///
///     p0 = p exp(0.034163 h / (T + 0.0065 h / 2 + 0.12 e))
///
/// with the height h in metres, the temperature T in kelvins, and the pressure e of water vapour in
/// hectopascals, by Magnus' formula of chapter 4.
public struct SeaLevelPressure: Equatable, Hashable, Sendable {
  /// The heights in metres above sea level from which reducing says anything; higher up, the air
  /// that is thought in the place of the ground decides on the result.
  public static let altitudesMeters = -450.0...2500
  /// How far off a height may be, in metres at 95 %: 30, which are 3.6 hPa.
  public static let worstAltitudeMeters = 30.0

  /// Range of the pressures measured on earth at sea level, in hectopascals.
  private static let possibleHectopascals = 850.0...1100

  /// The pressure in hectopascals.
  public let hectopascals: Double
  /// How far off it may be in hectopascals, at 95 %, for what the height is off; `nil` where that
  /// is not known.
  public let uncertaintyHectopascals: Double?

  /// Reduces a pressure.
  ///
  /// Gives `nil` where the height is out of ``altitudesMeters`` or too inexact, and where the result
  /// is one that was never measured on earth, 850 to 1100 hPa.
  ///
  /// - Parameters:
  ///   - stationHectopascals: The pressure at the sensor.
  ///   - altitude: The sensor's height in metres above mean sea level.
  ///   - altitudeAccuracy: How far off that may be.
  ///   - temperatureDegreesCelsius: The air's temperature; where it is not known, that of the
  ///     standard atmosphere at the height. Ten degrees too many take 1 hPa off at 300 m.
  ///   - humidityPercent: Relative humidity; where it is not known, the air counts as dry.
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

  /// The pressure at sea level by a reading.
  ///
  /// A pressure that may be reduced already (MDA) counts as it stands where reducing it would change
  /// it by no more than ``worstAltitudeMeters`` do, as on a boat at sea. Higher up one of the two
  /// readings would be wrong by more, and the pressure is unknown.
  ///
  /// - Parameters:
  ///   - reading: The reading.
  ///   - altitude: The sensor's height in metres above mean sea level.
  ///   - altitudeAccuracy: How far off that may be.
  /// - Returns: The pressure in hectopascals; `nil` where the reading does not say.
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
    guard abs(altitude) <= worstAltitudeMeters, let stated = reading.pressureUnstatedHectopascals,
      possibleHectopascals.contains(stated)
    else { return nil }
    return stated
  }
}
