// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension FixReport {
  /// What a sentence says about the epoch; `nil` for one that says nothing about it.
  ///
  /// - Parameter sentence: The sentence.
  init?(_ sentence: borrowing Sentence) {
    switch copy sentence {
    case .gga(let gga): self.init(gga)
    case .rmc(let rmc): self.init(rmc)
    case .gll(let gll): self.init(gll)
    case .gns(let gns): self.init(gns)
    case .gsa(let gsa): self.init(gsa)
    case .gst(let gst): self.init(gst)
    case .gbs(let gbs): self.init(gbs)
    case .vtg(let vtg): self.init(vtg)
    case .zda(let zda): self.init(zda)
    case .pubx00(let pubx): self.init(pubx)
    case .pgrme(let pgrme): self.init(pgrme)
    case .pgrmz(let pgrmz): self.init(pgrmz)
    case .pgrmv(let pgrmv): self.init(pgrmv)
    case .psrfepe(let psrfepe):
      guard psrfepe.isValid else { return nil }
      self.init(psrfepe)
    case .txt(let txt):
      guard SimulatedText.marks(txt) else { return nil }
      self.init(kind: nil)
      isSimulated = true
    case .gsv, .dtm, .pgrmm, .hdt, .hdm, .hdg, .ths, .mda, .mtw, .mwd, .mwv, .xdr: return nil
    }
  }

  /// Starts a report of the kind named by a formatter, and a number that tells several apart.
  init(formatter: StaticString, number: UInt8 = 0) {
    var packed: UInt32 = 0
    formatter.withUTF8Buffer { for byte in $0 { packed = packed &<< 8 | UInt32(byte) } }
    self.init(kind: ReportKind(rawValue: packed &<< 8 | UInt32(number)))
  }

  /// A position; without one of its halves there is none.
  static func coordinate(_ latitude: Double?, _ longitude: Double?) -> Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }
}
