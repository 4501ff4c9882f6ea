// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Sentences about course, speed and attitude.
extension SentenceTable {
  static let vtg = SentenceTable(
    "vtg",
    [
      "$GPVTG,220.86,T,,M,2.550,N,4.724,K,A*34": [
        "courseDegreesTrue": 220.86, "speedMetersPerSecond": 1.3118333333333334,
        "speedFromKilometersMetersPerSecond": 1.3122222222222222, "mode": ModeIndicator.autonomous,
      ],
      // A course of 360 degrees is read as 0, and a magnetic course is read.
      "GPVTG,360.0,T,12.5,M,0.0,N,0.0,K,S": [
        "courseDegreesTrue": 0.0, "courseDegreesMagnetic": 12.5, "speedMetersPerSecond": 0.0,
        "speedFromKilometersMetersPerSecond": 0.0, "mode": ModeIndicator.simulator,
      ],
      "GPVTG,220.86,T,,M,2.550": ["courseDegreesTrue": 220.86, "speedMetersPerSecond": 1.3118333333333334],
      "GPVTG,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPVTG,220,86,T,,M,2.550,N,4.724,K,A", .unexpectedLetter, at: 2, refused: true),
      Flaw("GPVTG,220.86,M,,M,2.550,N,4.724,K,A", .unexpectedLetter, at: 2, refused: true),
      Flaw("GPVTG,-1.0,T,,M,2.550,N,4.724,K,A", .outOfRange, at: 1),
      Flaw("GPVTG,220.86,T,,M,2.550,K,4.724,K,A", .unexpectedLetter, at: 6, refused: true),
      Flaw("GPVTG,220.86,T,,M,2.550,N,4 724,K,A", .malformedNumber, at: 7),
    ])

  static let pgrmv = SentenceTable(
    "pgrmv",
    [
      "$PGRMV,0.0,0.0,0.0*5C": ["eastMetersPerSecond": 0.0, "northMetersPerSecond": 0.0, "upMetersPerSecond": 0.0],
      "PGRMV,-1.5,2.5,-0.25": ["eastMetersPerSecond": -1.5, "northMetersPerSecond": 2.5, "upMetersPerSecond": -0.25],
      "PGRMV,,,": [:],
      "PGRMV,": [:],
    ],
    flaws: [
      Flaw("PGRMV,x,0.0,0.0", .malformedNumber, at: 1),
      Flaw("PGRMV,0.0,0.0,100001", .outOfRange, at: 3),
    ])

  static let hdg = SentenceTable(
    "hdg",
    [
      "$SDHDG,229.8,,,1.3,E*36": ["sensorHeadingDegrees": 229.8, "variationDegrees": 1.3],
      "SDHDG,229.8,0.0,W,1.3,W": ["sensorHeadingDegrees": 229.8, "deviationDegrees": 0.0, "variationDegrees": -1.3],
      "SDHDG,229.8,1.0": ["sensorHeadingDegrees": 229.8],
      "SDHDG,,,,,": [:],
    ],
    flaws: [
      Flaw("SDHDG,229.8,,,1.3,EW", .unexpectedLetter, at: 5, refused: true),
      Flaw("SDHDG,229.8,,,1-3,E", .malformedNumber, at: 4),
    ])

  static let hdm = SentenceTable(
    "hdm",
    [
      "$APHDM,218.634,M*39": ["headingDegreesMagnetic": 218.634],
      "APHDM,218.634": ["headingDegreesMagnetic": 218.634],
      "APHDM,,": [:],
    ],
    flaws: [
      Flaw("APHDM,218.634,T", .unexpectedLetter, at: 2, refused: true),
      Flaw("APHDM,--1,M", .malformedNumber, at: 1),
    ])

  static let hdt = SentenceTable(
    "hdt",
    [
      "$HEHDT,341.8,T*21": ["headingDegreesTrue": 341.8],
      "HEHDT,360,T": ["headingDegreesTrue": 0.0],
      "HEHDT,341.8": ["headingDegreesTrue": 341.8],
      "HEHDT,,": [:],
    ],
    flaws: [
      Flaw("HEHDT,341.8,M", .unexpectedLetter, at: 2, refused: true),
      Flaw("HEHDT,361,T", .outOfRange, at: 1),
      Flaw("HEHDT,N41,T", .malformedNumber, at: 1),
    ])

  static let ths = SentenceTable(
    "ths",
    [
      "$GNTHS,244.28,A*11": ["headingDegreesTrue": 244.28, "status": UInt8(ascii: "A")],
      "GNTHS,244.28": ["headingDegreesTrue": 244.28],
      "GNTHS,,": [:],
    ],
    flaws: [
      Flaw("GNTHS,244.28,AA", .unexpectedLetter, at: 2, refused: true),
      Flaw("GNTHS,400,A", .outOfRange, at: 1),
    ])

  static let hpr = SentenceTable(
    "hpr",
    [
      "$GNHPR,081212.00,341.48,-00.64,000.00,4,46,0.00,0999*4F": [
        "headingDegreesTrue": 341.48, "pitchDegrees": -0.64, "rollDegrees": 0.0, "quality": FixQuality.rtkFixed,
      ],
      "GNHPR,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GNHPR,081212.00,361,0,0,4", .outOfRange, at: 2),
      Flaw("GNHPR,081212.00,1,90.1,0,4", .outOfRange, at: 3),
      Flaw("GNHPR,081212.00,1,0,x,4", .malformedNumber, at: 4),
    ])

  static let pashr = SentenceTable(
    "pashr",
    [
      "PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0": [
        "headingDegreesTrue": 224.19, "rollDegrees": -1.26, "pitchDegrees": 0.83, "quality": 1, "inertialState": 0,
      ],
      "PASHR,,,,,,,,,,,": [:],
      // The fields after the names ATT, AT2 and HPR.
      "$PASHR,ATT,310080.0,248.57,+04.22,,0.0027,0.0000,0*2B": [
        "headingDegreesTrue": 248.57, "pitchDegrees": 4.22, "ambiguityState": 0,
      ],
      "$PASHR,AT2,562422.0000,254.6341,0.6977,0.1069,0.0028,0.0263,0,00,0.667,1.7814*65": [
        "headingDegreesTrue": 254.6341, "pitchDegrees": 0.6977, "rollDegrees": 0.1069, "ambiguityState": 0,
      ],
      "PASHR,HPR,120000.00,180.5,,-1.5,0.002,0.01,7,0,1.800,1.2": [
        "headingDegreesTrue": 180.5, "rollDegrees": -1.5, "ambiguityState": 7,
      ],
      "$PASHR,ATT,333631.0000,,,,,,*30": [:],
    ],
    flaws: [
      Flaw("PASHR,1,400,T,0,0", .outOfRange, at: 2),
      Flaw("PASHR,1,10,M,0,0", .unexpectedLetter, at: 3, refused: true),
      Flaw("PASHR,1,10,T,-180.1,0", .outOfRange, at: 4),
      Flaw("PASHR,ATT,1,360.1,0,0", .outOfRange, at: 3),
      Flaw("PASHR,HPR,1,10,91,0", .outOfRange, at: 4),
    ])

  static let psti036 = SentenceTable(
    "psti036",
    [
      "$PSTI,036,003832.000,290322,244.28,2.77,0.00,R*5D": [
        "headingDegreesTrue": 244.28, "pitchDegrees": 2.77, "rollDegrees": 0.0, "mode": ModeIndicator.rtkFixed,
      ],
      "PSTI,036,,,,,,": [:],
    ],
    flaws: [
      Flaw("PSTI,036,1,2,361,0,0,R", .outOfRange, at: 4),
      Flaw("PSTI,036,1,2,10,0,0,RR", .unexpectedLetter, at: 7, refused: true),
    ])

  static let uniheadinga = SentenceTable(
    "uniheadinga",
    [
      "#UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;SOL_COMPUTED,NARROW_INT,1.4773,179.0284,-2.4202,0.0000,0.8259,1.0921,\"999\",27,21,21,15,3,01,3,f3*5d424350":
        [
          "solutionState": UNIHEADINGA.computed, "solutionType": 0x4E41_5252_4F57_5F49, "headingDegreesTrue": 179.0284,
          "pitchDegrees": -2.4202,
        ]
    ])
}
