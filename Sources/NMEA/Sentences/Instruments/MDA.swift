// SPDX-License-Identifier: Apache-2.0

/// MDA: meteorological composite.
///
///            1   2 3   4 5   6 7   8 9   10  11  12 13  14 15  16 17  18 19  20
///            |   | |   | |   | |   | |   |   |   |  |   |  |   |  |   |  |   |
///     $--MDA,x.x,I,x.x,B,x.x,C,x.x,C,x.x,x.x,x.x,C,x.x,T,x.x,M,x.x,N,x.x,M*hh
///
/// Field 1 is ignored if its unit is not inches of mercury, as from some senders. Example:
///
///     $WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M*63
///
/// <https://gpsd.io/NMEA.html#_mda_meteorological_composite>
public struct MDA: Equatable, Sendable {
  /// 3, or 1 if 3 is empty: air pressure in hectopascals, sent in bars (3) or inches of mercury
  /// (1).
  ///
  /// The sentence does not state whether the pressure is reduced to sea level.
  @Known public var pressureHectopascals: Double?
  /// 5: temperature of the air in degrees Celsius.
  @Known public var airTemperatureDegreesCelsius: Double?
  /// 7: temperature of the water in degrees Celsius.
  @Known public var waterTemperatureDegreesCelsius: Double?
  /// 9: relative humidity in percent.
  @Known public var relativeHumidityPercent: Double?
  /// 11: dew point in degrees Celsius.
  @Known public var dewPointDegreesCelsius: Double?
  /// 13: direction from which the wind blows, in degrees from true north, 0 to below 360.
  @Known public var windDirectionDegreesTrue: Double?
  /// 15: direction from which the wind blows, in degrees from magnetic north, 0 to below 360.
  @Known public var windDirectionDegreesMagnetic: Double?
  /// 17: wind speed in metres per second, sent in knots.
  @Known public var windSpeedMetersPerSecond: Double?
  /// 19: wind speed in metres per second as sent, often with fewer digits than field 17.
  @Known public var windSpeedFromMetersMetersPerSecond: Double?

  init(_ fields: inout FieldReader) {
    // An inch of mercury is 33.86389 hPa.
    let inches = fields.decimal(times: 3_386_389, over: 100_000)
    let isInches = fields.letter() == 0x49
    let bars = fields.decimal(times: 1000)
    fields.unit(0x42)
    pressureHectopascals = bars ?? (isInches ? inches : nil)
    airTemperatureDegreesCelsius = fields.decimal()
    fields.unit(0x43)
    waterTemperatureDegreesCelsius = fields.decimal()
    fields.unit(0x43)
    relativeHumidityPercent = fields.decimal()
    fields.skip()
    dewPointDegreesCelsius = fields.decimal()
    fields.unit(0x43)
    windDirectionDegreesTrue = fields.bearing()
    fields.unit(0x54)
    windDirectionDegreesMagnetic = fields.bearing()
    fields.unit(0x4D)
    windSpeedMetersPerSecond = fields.decimal(in: 0...100_000, times: 463, over: 900)
    fields.unit(0x4E)
    windSpeedFromMetersMetersPerSecond = fields.decimal(in: 0...100_000)
    fields.unit(0x4D)
  }
}
