// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The seed inputs for NMEA data: each supported sentence, and some other input.
enum Seeds {
  private static let all: [StaticString] = [
    "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n",
    "$GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A*7B\r\n",
    "$GNGLL,4404.14012,N,12118.85993,W,001037.00,A,A*67\n",
    "$GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN,21,0.53,01443.9,-016.5,,*54\r\n",
    "$GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47*17\r\n",
    "$GPGSV,3,3,11,22,42,067,42,24,14,311,43,27,05,244,00,,,,*4D\r\n",
    "$PQGSV,4,4,14,23,09,350,,24,04,248,,0,4*6C\r\n",
    "$GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746*61\r\n",
    "$GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000*53\r\n",
    "$GPVTG,220.86,T,,M,2.550,N,4.724,K,A*34\r\n",
    "$GPZDA,160012.71,11,03,2004,-1,00*7D\r\n",
    "$GPDTM,W84,,0.0,N,0.0,E,0.0,W84*6F\r\n",
    "$HEHDT,341.8,T*21\r\n$APHDM,218.634,M*39\r\n$SDHDG,229.8,,,1.3,E*36\r\n",
    "$GNTHS,244.28,A*11\r\n",
    "$GPTXT,01,01,02,u-blox ag - www.u-blox.com*50\r\n",
    """
    $PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,\
    0.77,9,0,0*5F\r\n
    """,
    "$PGRME,15.0,M,22.5,M,27.0,M*1A\r\n$PGRMZ,2282,f,3*21\r\n",
    """
    $WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M*63\r\n
    """,
    "$INMTW,17.9,C*1B\r\n$WIMWD,326.6,T,325.2,M,11.4,N,5.9,M*65\r\n$WIMWV,59.0,R,13.0,N,A*2D\r\n",
    "$IIXDR,C,18.20,C,ENV_WATER_T,C,28.69,C,ENV_OUTAIR_T,P,101400,P,ENV_ATMOS_P*4C\r\n",
    "$YXXDR,C,,C,WCHR,C,,C,WCHT,C,28.2,C,HINX,P,1.0090,B,STNP*55\r\n",
    "# a comment\r\n\\s:r3,c:12*5E\\!AIVDM,1,1,,A,x,0*00\r\n$$GPGGA,$HEHDT,341.8,T*21\r\r\n",
  ]

  /// Writes each seed into a file; creates the folder if necessary.
  static func write(to folder: String) -> Bool {
    _ = mkdir(folder, 0o755)
    for (index, seed) in all.enumerated() {
      guard let file = fopen("\(folder)/seed-\(index)", "w") else { return false }
      // The first two bytes of an input define its `Feed`.
      fputs("@0", file)
      seed.withUTF8Buffer { _ = fwrite($0.baseAddress, 1, $0.count, file) }
      guard fclose(file) == 0 else { return false }
    }
    return true
  }
}
