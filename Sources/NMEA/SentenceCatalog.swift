// SPDX-License-Identifier: Apache-2.0

/// A supported sentence with its fields.
///
/// To add a sentence, add a file in `Sentences/`, a case here, and a row in `SentenceCatalog`.
public enum Sentence: Equatable, Sendable {
  /// Time, position and quality of the fix.
  case gga(GGA)
  /// Recommended minimum.
  case rmc(RMC)
  /// Position and time.
  case gll(GLL)
  /// Fix data of a multi-system receiver.
  case gns(GNS)
  /// Mode, satellites used, dilutions of precision.
  case gsa(GSA)
  /// Satellites in view.
  case gsv(GSV)
  /// Error statistics.
  case gst(GST)
  /// Expected errors and faulty satellite.
  case gbs(GBS)
  /// Course and speed over ground.
  case vtg(VTG)
  /// Time and date.
  case zda(ZDA)
  /// Datum.
  case dtm(DTM)
  /// True heading.
  case hdt(HDT)
  /// Magnetic heading.
  case hdm(HDM)
  /// Compass heading, deviation and variation.
  case hdg(HDG)
  /// True heading and status.
  case ths(THS)
  /// Unicore heading, pitch and roll.
  case hpr(HPR)
  /// Meteorological composite.
  case mda(MDA)
  /// Temperature of the water.
  case mtw(MTW)
  /// Direction and speed of the wind.
  case mwd(MWD)
  /// Angle and speed of the wind, relative to the bow.
  case mwv(MWV)
  /// Measurements of transducers.
  case xdr(XDR)
  /// Text.
  case txt(TXT)
  /// u-blox position and errors.
  case pubx00(PUBX00)
  /// Garmin errors.
  case pgrme(PGRME)
  /// Garmin map datum.
  case pgrmm(PGRMM)
  /// Garmin velocity.
  case pgrmv(PGRMV)
  /// Garmin altitude.
  case pgrmz(PGRMZ)
  /// SiRF errors.
  case psrfepe(PSRFEPE)
  /// Attitude of an inertial system.
  case pashr(PASHR)
  /// SkyTraq heading, pitch and roll.
  case psti036(PSTI036)
  /// Unicore heading and pitch.
  case uniheadinga(UNIHEADINGA)
  /// GlobalTop antenna.
  case pgtop(PGTOP)
  /// CDtop antenna.
  case pcd(PCD)
  /// Quectel antenna.
  case pqtmantennastatus(PQTMANTENNASTATUS)
}

/// Maps addresses to sentence types.
enum SentenceCatalog {
  /// Reads the fields of a sentence; `nil` if the sentence is not supported.
  @inline(__always)
  static func read(_ address: SentenceAddress, _ fields: inout FieldReader) -> Sentence? {
    // An address that begins with `P` belongs to a proprietary sentence, even if it ends with a
    // known formatter: `$PGRMC` is not an RMC. The exception is Quectel's talker `PQ`.
    if address.isProprietary {
      if address.rawValue == 0x5051_544D_414E_5445 {
        // The address has 17 bytes; the last 8 of them are read as a field.
        guard fields.code() == 0x4E41_5354_4154_5553 else { return nil }
        return .pqtmantennastatus(PQTMANTENNASTATUS(&fields))
      }
      if address.talker != .quectel { return readProprietary(address, &fields) }
    }
    return readByFormatter(address, &fields)
  }

  private static func readProprietary(
    _ address: SentenceAddress, _ fields: inout FieldReader
  ) -> Sentence? {
    switch address.rawValue {
    case 0x50_4752_4D45: return .pgrme(PGRME(&fields))
    case 0x50_4752_4D4D: return .pgrmm(PGRMM(&fields))
    case 0x50_4752_4D56: return .pgrmv(PGRMV(&fields))
    case 0x50_4752_4D5A: return .pgrmz(PGRMZ(&fields))
    case 0x50_5352_4645_5045: return .psrfepe(PSRFEPE(&fields))
    case 0x5055_4258:
      guard fields.code() == 0x3030 else { return nil }
      return .pubx00(PUBX00(&fields))
    case 0x50_4153_4852: return PASHR(&fields).map { Sentence.pashr($0) }
    case 0x5053_5449:
      guard fields.code() == 0x30_3336 else { return nil }
      return .psti036(PSTI036(&fields))
    case 0x50_4754_4F50:
      guard fields.code() == 0x3131 else { return nil }
      return .pgtop(PGTOP(&fields))
    case 0x50_4344:
      guard fields.code() == 0x3131 else { return nil }
      return .pcd(PCD(&fields))
    default: return nil
    }
  }

  @inline(__always)
  private static func readByFormatter(
    _ address: SentenceAddress, _ fields: inout FieldReader
  ) -> Sentence? {
    switch address.formatter {
    case 0x475356: return .gsv(GSV(&fields))
    case 0x475341: return .gsa(GSA(&fields))
    case 0x474741: return .gga(GGA(&fields))
    case 0x524D43: return .rmc(RMC(&fields))
    case 0x565447: return .vtg(VTG(&fields))
    case 0x474C4C: return .gll(GLL(&fields))
    case 0x5A4441: return .zda(ZDA(&fields))
    case 0x474E53: return .gns(GNS(&fields))
    case 0x475354: return .gst(GST(&fields))
    case 0x474253: return .gbs(GBS(&fields))
    case 0x545854: return .txt(TXT(&fields))
    case 0x484454: return .hdt(HDT(&fields))
    case 0x484447: return .hdg(HDG(&fields))
    case 0x48444D: return .hdm(HDM(&fields))
    case 0x544853: return .ths(THS(&fields))
    case 0x485052: return .hpr(HPR(&fields))
    case 0x44544D: return .dtm(DTM(&fields))
    case 0x4D4441: return .mda(MDA(&fields))
    case 0x4D5457: return .mtw(MTW(&fields))
    case 0x4D5744: return .mwd(MWD(&fields))
    case 0x4D5756: return .mwv(MWV(&fields))
    case 0x584452: return .xdr(XDR(&fields))
    case 0 where address.rawValue == 0x554E_4948_4541_4449:
      return .uniheadinga(UNIHEADINGA(&fields))
    default: return nil
    }
  }
}
