// SPDX-License-Identifier: Apache-2.0

/// MTW: mean temperature of the water.
///
///            1   2
///            |   |
///     $--MTW,x.x,C*hh
///
/// Example:
///
///     $INMTW,17.9,C*1B
///
/// <https://gpsd.io/NMEA.html#_mtw_mean_temperature_of_water>
public struct MTW: Equatable, Sendable {
  /// 1: temperature of the water in degrees Celsius.
  @Known public var waterTemperatureDegreesCelsius: Double?

  init(_ fields: inout FieldReader) {
    waterTemperatureDegreesCelsius = fields.decimal()
    fields.unit(0x43)
  }
}
