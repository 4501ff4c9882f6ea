// SPDX-License-Identifier: Apache-2.0

import NMEA

extension Reading {
  var gga: GGA? { if case .gga(let fields)? = sentences.first { fields } else { nil } }
  var rmc: RMC? { if case .rmc(let fields)? = sentences.first { fields } else { nil } }
  var gll: GLL? { if case .gll(let fields)? = sentences.first { fields } else { nil } }
  var gns: GNS? { if case .gns(let fields)? = sentences.first { fields } else { nil } }
  var gsa: GSA? { if case .gsa(let fields)? = sentences.first { fields } else { nil } }
  var gsv: GSV? { if case .gsv(let fields)? = sentences.first { fields } else { nil } }
  var gst: GST? { if case .gst(let fields)? = sentences.first { fields } else { nil } }
  var gbs: GBS? { if case .gbs(let fields)? = sentences.first { fields } else { nil } }
  var vtg: VTG? { if case .vtg(let fields)? = sentences.first { fields } else { nil } }
  var zda: ZDA? { if case .zda(let fields)? = sentences.first { fields } else { nil } }
  var dtm: DTM? { if case .dtm(let fields)? = sentences.first { fields } else { nil } }
  var hdt: HDT? { if case .hdt(let fields)? = sentences.first { fields } else { nil } }
  var hdm: HDM? { if case .hdm(let fields)? = sentences.first { fields } else { nil } }
  var hdg: HDG? { if case .hdg(let fields)? = sentences.first { fields } else { nil } }
  var ths: THS? { if case .ths(let fields)? = sentences.first { fields } else { nil } }
  var hpr: HPR? { if case .hpr(let fields)? = sentences.first { fields } else { nil } }
  var pashr: PASHR? { if case .pashr(let fields)? = sentences.first { fields } else { nil } }
  var psti036: PSTI036? { if case .psti036(let fields)? = sentences.first { fields } else { nil } }
  var uniheadinga: UNIHEADINGA? {
    if case .uniheadinga(let fields)? = sentences.first { fields } else { nil }
  }
  var txt: TXT? { if case .txt(let fields)? = sentences.first { fields } else { nil } }
  var pubx00: PUBX00? { if case .pubx00(let fields)? = sentences.first { fields } else { nil } }
  var pgrme: PGRME? { if case .pgrme(let fields)? = sentences.first { fields } else { nil } }
  var pgrmm: PGRMM? { if case .pgrmm(let fields)? = sentences.first { fields } else { nil } }
  var pgrmv: PGRMV? { if case .pgrmv(let fields)? = sentences.first { fields } else { nil } }
  var psrfepe: PSRFEPE? { if case .psrfepe(let fields)? = sentences.first { fields } else { nil } }
  var pgrmz: PGRMZ? { if case .pgrmz(let fields)? = sentences.first { fields } else { nil } }
  var pgtop: PGTOP? { if case .pgtop(let fields)? = sentences.first { fields } else { nil } }
  var pcd: PCD? { if case .pcd(let fields)? = sentences.first { fields } else { nil } }
  var pqtmantennastatus: PQTMANTENNASTATUS? {
    if case .pqtmantennastatus(let fields)? = sentences.first { fields } else { nil }
  }
  var mda: MDA? { if case .mda(let fields)? = sentences.first { fields } else { nil } }
  var mtw: MTW? { if case .mtw(let fields)? = sentences.first { fields } else { nil } }
  var mwd: MWD? { if case .mwd(let fields)? = sentences.first { fields } else { nil } }
  var mwv: MWV? { if case .mwv(let fields)? = sentences.first { fields } else { nil } }
  var xdr: XDR? { if case .xdr(let fields)? = sentences.first { fields } else { nil } }
}
