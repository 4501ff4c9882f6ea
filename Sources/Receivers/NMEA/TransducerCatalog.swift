// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// The transducers of XDR sentences that measure weather, by type and name.
///
/// Other transducers are ignored, since they may be in an engine, a tank or a cabin.
enum TransducerCatalog {
  private struct Row {
    let type: UInt8
    let quantity: InstrumentQuantity
    /// Names that any talker may use, in upper case.
    let names: [StaticString]
    /// Names that only a weather station (talker `WI`) may use.
    let stationNames: [StaticString]
  }

  private static let rows = [
    Row(
      type: UInt8(ascii: "P"), quantity: .pressureStation,
      names: ["BARO", "BAROMETER", "STNP", "ENV_ATMOS_P", "ENV_OUTSIDE_P"],
      stationNames: ["PRESS"]),
    Row(
      type: UInt8(ascii: "C"), quantity: .airTemperature,
      names: ["AIRTEMP", "TEMPAIR", "ENV_OUTAIR_T", "ENV_OUTSIDE_T"],
      stationNames: ["TEMP"]),
    Row(
      type: UInt8(ascii: "C"), quantity: .waterTemperature,
      names: ["WATERTEMP", "TEMPWATER", "ENV_WATER_T"], stationNames: []),
    Row(
      type: UInt8(ascii: "C"), quantity: .dewPoint,
      names: ["DEWPOINT", "ENV_OUTSIDE_DP"], stationNames: ["DEWP", "DP"]),
    Row(
      type: UInt8(ascii: "H"), quantity: .humidity,
      names: ["HUMIDITY", "ENV_OUTAIR_H", "ENV_OUTSIDE_H"],
      stationNames: ["RH"]),
  ]

  private static let weatherInstruments = Talker(UInt8(ascii: "W"), UInt8(ascii: "I"))

  /// Returns the quantity that a transducer measures, or `nil` for an unknown transducer.
  static func quantity(
    of measurement: TransducerMeasurement, talker: Talker
  ) -> InstrumentQuantity? {
    rows.first { row in
      row.type == measurement.type
        && (row.names.contains(where: measurement.name.matches)
          || (talker == weatherInstruments
            && row.stationNames.contains(where: measurement.name.matches)))
    }?.quantity
  }

  /// Returns the value in hectopascals, degrees Celsius or percent.
  ///
  /// Returns `nil` if the unit does not match the type, as in a sentence with shifted fields.
  static func value(of measurement: TransducerMeasurement) -> Double? {
    switch (measurement.type, measurement.unit) {
    case (UInt8(ascii: "P"), UInt8(ascii: "B")): measurement.value.map { $0 * 1000 }
    case (UInt8(ascii: "P"), UInt8(ascii: "P")): measurement.value.map { $0 / 100 }
    case (UInt8(ascii: "C"), UInt8(ascii: "C")): measurement.value
    case (UInt8(ascii: "H"), UInt8(ascii: "P")), (UInt8(ascii: "H"), UInt8(ascii: "%")):
      measurement.value
    default: nil
    }
  }
}
