// SPDX-License-Identifier: Apache-2.0

/// GSV: satellites in view, up to four per sentence.
///
///            1 2 3  4  5  6   7      16 17 18  19 20
///            | | |  |  |  |   |       | |  |   |  |
///     $--GSV,x,x,xx,xx,xx,xxx,xx, ... ,xx,xx,xxx,xx,h*hh
///
/// Unused satellite fields may be omitted or empty. NMEA 4.1 adds the signal id: a dual-band
/// receiver sends two groups per system. Example:
///
///     $GPGSV,3,3,11,22,42,067,42,24,14,311,43,27,05,244,00,,,,*4D
///
/// <https://gpsd.io/NMEA.html#_gsv_satellites_in_view>
public struct GSV: Equatable, Sendable {
  /// 1: number of sentences in the group.
  public var sentenceCount: UInt32?
  /// 2: number of this sentence in the group, from 1.
  public var sentenceNumber: UInt32?
  /// 3: number of satellites in view.
  public var satellitesInView: UInt32?
  /// 4 to 19: up to four satellites.
  public var satellites: SatellitesInView
  /// 20: the signal, numbered within its system, since NMEA 4.1; 0 means all signals.
  public var signalID: UInt8?

  init(_ fields: inout FieldReader) {
    sentenceCount = fields.integer(upTo: 99)
    sentenceNumber = fields.integer(upTo: 99)
    satellitesInView = fields.integer(upTo: 999)
    satellites = SatellitesInView()
    for _ in 0..<4 {
      let start = fields.position
      let number = fields.integer(upTo: 65_535, allowsFraction: false)
      let elevation = fields.integer(upTo: 90)
      if fields.isAtEnd {
        // A single field after the last satellite is the signal id. With the talker `PQ`, Quectel
        // sends the system id after the signal id.
        signalID = fields.rereadAsSignalID(from: start)
        return
      }
      let azimuth = fields.integer(upTo: 360)
      let signalToNoise = fields.integer(upTo: 99)
      guard let number, number > 0 else { continue }
      satellites.append(
        SatelliteInView(number: number, inRange: elevation, azimuth, signalToNoise))
    }
    signalID = fields.hexadecimal()
  }
}
