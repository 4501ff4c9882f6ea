// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Sentences about time, datum, altitude and the receiver itself.
extension SentenceTable {
  static let zda = SentenceTable(
    "zda",
    [
      "$GPZDA,160012.71,11,03,2004,-1,00*7D": [
        "time": TimeOfDay(hour: 16, minute: 0, second: 12, nanosecond: 710_000_000),
        "date": CalendarDate(year: 2004, month: 3, day: 11), "zoneHours": -1, "zoneMinutes": 0,
      ],
      // A date of zeros is unknown, and the largest zone offsets are read.
      "GPZDA,160012.71,00,00,0000,13,-59": [
        "time": TimeOfDay(hour: 16, minute: 0, second: 12, nanosecond: 710_000_000), "zoneHours": 13,
        "zoneMinutes": -59,
      ],
      "GPZDA,160012.71,11,03": ["time": TimeOfDay(hour: 16, minute: 0, second: 12, nanosecond: 710_000_000)],
      "GPZDA,160012.71,11,03,2004": [
        "time": TimeOfDay(hour: 16, minute: 0, second: 12, nanosecond: 710_000_000),
        "date": CalendarDate(year: 2004, month: 3, day: 11),
      ],
      "GPZDA,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPZDA,160012.71,32,03,2004,,", .outOfRange, at: 2),
      Flaw("GPZDA,160012.71,11,13,2004,,", .outOfRange, at: 3),
      Flaw("GPZDA,160012.71,11,03,20o4,,", .malformedNumber, at: 4),
      Flaw("GPZDA,195719,16,04,0014,-02,00", .outOfRange, at: 4),
      Flaw("GPZDA,195719,16,04,1979,-02,00", .outOfRange, at: 4),
      Flaw("GPZDA,195719,16,04,2201,-02,00", .outOfRange, at: 4),
      Flaw("GPZDA,195719,16,04,69,-02,00", .outOfRange, at: 4),
      Flaw("GPZDA,160012.71,11,03,2004,14,", .outOfRange, at: 5),
      Flaw("GPZDA,160012.71,11,03,2004,,60", .outOfRange, at: 6),
      Flaw("GPZDA,160012.71,11,03,2004,,-99999999999999999999", .outOfRange, at: 6),
    ])

  static let dtm = SentenceTable(
    "dtm",
    [
      "$GPDTM,W84,,0.0,N,0.0,E,0.0,W84*6F": [
        "localDatum": DTM.wgs84, "latitudeOffsetMinutes": 0.0, "longitudeOffsetMinutes": 0.0,
        "altitudeOffsetMeters": 0.0, "referenceDatum": DTM.wgs84,
      ],
      // A user-defined datum and negative offsets.
      "GPDTM,999,CH95,0.08,S,0.07,W,-47.7,W84": [
        "localDatum": 0x393939, "subdivision": 0x43483935, "latitudeOffsetMinutes": -0.08,
        "longitudeOffsetMinutes": -0.07, "altitudeOffsetMeters": -47.7, "referenceDatum": DTM.wgs84,
      ],
      "GPDTM,W84,,0.0,N": ["localDatum": DTM.wgs84, "latitudeOffsetMinutes": 0.0],
      "GPDTM,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPDTM,W84,,0.O,N,0.0,E,0.0,W84", .malformedNumber, at: 3),
      Flaw("GPDTM,W84,,0.0,N,0.0,EE,0.0,W84", .unexpectedLetter, at: 6, refused: true),
    ])

  static let pgrmm = SentenceTable(
    "pgrmm",
    [
      "$PGRMM,WGS 84*06": ["datum": PGRMM.wgs84],
      "$PGRMM,NAD83*29": ["datum": PGRMM.nad83],
      // Spaces and case are ignored.
      "PGRMM,WGS84": ["datum": PGRMM.wgs84],
      "PGRMM,wgs 84 ": ["datum": PGRMM.wgs84],
      // Only the first eight bytes of a long name are kept.
      "PGRMM,NAD27 CONUS": ["datum": 0x4E_4144_3237_434F],
      "PGRMM,NAD27 CO": ["datum": 0x4E_4144_3237_434F],
      "PGRMM,": [:],
    ])

  static let pgrmz = SentenceTable(
    "pgrmz",
    [
      "$PGRMZ,2282,f,3*21": ["altitudeMetersAboveSeaLevel": 695.5536, "mode": 3],
      "PGRMZ,-12,f,2": ["altitudeMetersAboveSeaLevel": -3.6576, "mode": 2],
      "PGRMZ,2282": ["altitudeMetersAboveSeaLevel": 695.5536],
      "PGRMZ,,,": [:],
    ],
    flaws: [
      Flaw("PGRMZ,2282,M,3", .unexpectedLetter, at: 2, refused: true),
      Flaw("PGRMZ,2282,f,4", .outOfRange, at: 3),
    ])

  static let txt = SentenceTable(
    "txt",
    [
      "$GPTXT,01,01,02,u-blox ag - www.u-blox.com*50": [
        "sentenceCount": 1, "sentenceNumber": 1, "identifier": 2, "text": "u-blox ag - www.u-blox.com",
      ],
      "GPTXT,01,01": ["sentenceCount": 1, "sentenceNumber": 1, "text": ""],
      "GPTXT,,,,": ["text": ""],
    ],
    flaws: [
      Flaw("GPTXT,1x,01,02,hello", .malformedNumber, at: 1),
      Flaw("GPTXT,01,01,100,hello", .outOfRange, at: 3),
    ])

  static let pgtop = SentenceTable(
    "pgtop",
    [
      "$PGTOP,11,3*6F": ["antenna": AntennaState.external],
      "PGTOP,11,1": ["antenna": AntennaState.shorted],
      "PGTOP,11,2": ["antenna": AntennaState.internal],
      "PGTOP,11,3": ["antenna": AntennaState.external],
      // Other numbers are unknown.
      "PGTOP,11,0": [:], "PGTOP,11,4": [:], "PGTOP,11,": [:], "PGTOP,11": [:],
    ],
    flaws: [
      Flaw("PGTOP,11,x", .malformedNumber, at: 2)
    ])

  static let pcd = SentenceTable(
    "pcd",
    [
      "$PCD,11,2*65": ["antenna": AntennaState.external],
      "PCD,11,1": ["antenna": AntennaState.internal],
      "PCD,11,2": ["antenna": AntennaState.external],
      "PCD,11,3": ["antenna": AntennaState.shorted],
      // Other numbers are unknown.
      "PCD,11,0": [:], "PCD,11,4": [:], "PCD,11,": [:], "PCD,11,,": [:],
    ],
    flaws: [
      Flaw("PCD,11,100", .outOfRange, at: 2)
    ])

  static let pqtmantennastatus = SentenceTable(
    "pqtmantennastatus",
    [
      "$PQTMANTENNASTATUS,3,2,1,1*52": ["version": 3, "antenna": AntennaState.open],
      "PQTMANTENNASTATUS,3,0,1,1": ["version": 3, "antenna": AntennaState.unknown],
      "PQTMANTENNASTATUS,3,1,2,1": ["version": 3, "antenna": AntennaState.good],
      "PQTMANTENNASTATUS,2,2,2,2,2": ["version": 2, "antenna": AntennaState.open],
      "PQTMANTENNASTATUS,2,3,2,1,2": ["version": 2, "antenna": AntennaState.shorted],
      // The fields of other versions differ, and other numbers are unknown.
      "PQTMANTENNASTATUS,1,0,1": ["version": 1], "PQTMANTENNASTATUS,0,2,1": ["version": 0],
      "PQTMANTENNASTATUS,3,9,1,1": ["version": 3], "PQTMANTENNASTATUS,": [:],
    ])
}
