// SPDX-License-Identifier: Apache-2.0

/// XDR: measurements of transducers, four fields each.
///
///            1 2   3 4    5 6   7 8
///            | |   | |    | |   | |
///     $--XDR,a,x.x,a,c--c,a,x.x,a,c--c, ... *hh
///
/// A measurement without a type or a value is skipped. Example:
///
///     $YXXDR,C,,C,WCHR,C,,C,WCHT,C,28.2,C,HINX,P,1.0090,B,STNP*55
///
/// <https://gpsd.io/NMEA.html#_xdr_transducer_measurement>
public struct XDR: Equatable, Sendable {
  /// 1 to 4, 5 to 8, and so on: up to five measurements.
  public var measurements: TransducerMeasurements

  init(_ fields: inout FieldReader) {
    measurements = TransducerMeasurements()
    while !fields.isAtEnd {
      let type = fields.letter()
      let value = fields.decimal()
      let unit = fields.letter()
      let name = fields.transducerName()
      guard let type, let value else { continue }
      measurements.append(
        TransducerMeasurement(type: type, value: value, unit: unit, name: name))
    }
  }
}
