// SPDX-License-Identifier: Apache-2.0

import NMEA

extension Reading {
  var gga: GGA? { if case .gga(let fields)? = sentences.first { fields } else { nil } }
  var rmc: RMC? { if case .rmc(let fields)? = sentences.first { fields } else { nil } }
  var gll: GLL? { if case .gll(let fields)? = sentences.first { fields } else { nil } }
  var gns: GNS? { if case .gns(let fields)? = sentences.first { fields } else { nil } }
  var gsa: GSA? { if case .gsa(let fields)? = sentences.first { fields } else { nil } }
  var gsv: GSV? { if case .gsv(let fields)? = sentences.first { fields } else { nil } }
  var zda: ZDA? { if case .zda(let fields)? = sentences.first { fields } else { nil } }
  var hdt: HDT? { if case .hdt(let fields)? = sentences.first { fields } else { nil } }
  var ths: THS? { if case .ths(let fields)? = sentences.first { fields } else { nil } }
  var txt: TXT? { if case .txt(let fields)? = sentences.first { fields } else { nil } }
  var pgrme: PGRME? { if case .pgrme(let fields)? = sentences.first { fields } else { nil } }
  var mwv: MWV? { if case .mwv(let fields)? = sentences.first { fields } else { nil } }
  var xdr: XDR? { if case .xdr(let fields)? = sentences.first { fields } else { nil } }
}
