// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Sentences of other instruments than receivers.
extension SentenceTable {
  static let mda = SentenceTable(
    "mda",
    [
      "$WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M*63": [
        "pressureHectopascals": 1012.5, "airTemperatureDegreesCelsius": 27.9, "relativeHumidityPercent": 48.8,
        "dewPointDegreesCelsius": 16.1, "windDirectionDegreesTrue": 29.4, "windDirectionDegreesMagnetic": 32.0,
        "windSpeedMetersPerSecond": 0.8231111111111111, "windSpeedFromMetersMetersPerSecond": 0.8,
      ],
      // Field 1 is used only if its unit is inches of mercury and field 3 is empty.
      "WIMDA,29.92,I,,B": ["pressureHectopascals": 1013.2075888],
      "WIMDA,99700.0,P,,B": [:],
      // A pressure in pascals in field 1 does not shift the other fields.
      "$IIMDA,99700.0,P,1.00,B,3.2,C,,C,,,,C,295.19,T,,M,5.70,N,2.93,M*08": [
        "pressureHectopascals": 1000.0, "airTemperatureDegreesCelsius": 3.2, "windDirectionDegreesTrue": 295.19,
        "windSpeedMetersPerSecond": 2.9323333333333332, "windSpeedFromMetersMetersPerSecond": 2.93,
      ],
      "$IIMDA,,I,,B,,C,21.8,C,,,,C,,T,,M,,N,,M*0F": ["waterTemperatureDegreesCelsius": 21.8],
      "WIMDA,,,,,,,,,,,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("WIMDA,29.92,I,1,013,B,27.9,C", .unexpectedLetter, at: 4, refused: true),
      Flaw("WIMDA,29.92,I,1.013,B,27.9,F", .unexpectedLetter, at: 6, refused: true),
      Flaw("WIMDA,29.92,I,1-013,B,27.9,C", .malformedNumber, at: 3),
    ])

  static let mtw = SentenceTable(
    "mtw",
    [
      "$INMTW,17.9,C*1B": ["waterTemperatureDegreesCelsius": 17.9],
      "YXMTW,-0.4,C": ["waterTemperatureDegreesCelsius": -0.4],
      "$SDMTW,,C*1A": [:],
    ],
    flaws: [
      Flaw("INMTW,17.9,F", .unexpectedLetter, at: 2, refused: true),
      Flaw("INMTW,17,9,C", .unexpectedLetter, at: 2, refused: true),
      Flaw("INMTW,1-7,C", .malformedNumber, at: 1),
    ])

  static let mwd = SentenceTable(
    "mwd",
    [
      "$WIMWD,326.6,T,325.2,M,11.4,N,5.9,M*65": [
        "directionDegreesTrue": 326.6, "directionDegreesMagnetic": 325.2, "speedMetersPerSecond": 5.8646666666666665,
        "speedFromMetersMetersPerSecond": 5.9,
      ],
      "WIMWD,,T,,M,,N,,M": [:],
    ],
    flaws: [
      Flaw("WIMWD,326.6,M,325.2,M,11.4,N", .unexpectedLetter, at: 2, refused: true),
      Flaw("WIMWD,326.6,T,325.2,M,-1.0,N", .outOfRange, at: 5),
      Flaw("WIMWD,361.0,T,325.2,M,11.4,N", .outOfRange, at: 1),
    ])

  static let mwv = SentenceTable(
    "mwv",
    [
      "$WIMWV,59.0,R,13.0,N,A*2D": [
        "angleDegrees": 59.0, "reference": UInt8(ascii: "R"), "speedMetersPerSecond": 6.687777777777778,
        "status": UInt8(ascii: "A"),
      ],
      "WIMWV,,,,,": [:],
    ],
    flaws: [
      Flaw("WIMWV,59.0,R,1-3,N,A", .malformedNumber, at: 3),
      Flaw("WIMWV,59.0,RT,13.0,N,A", .unexpectedLetter, at: 2, refused: true),
      Flaw("WIMWV,359.9,R,13.0,NN,A", .unexpectedLetter, at: 4, refused: true),
    ])

  static let xdr = SentenceTable(
    "xdr",
    [
      "$IIXDR,C,18.20,C,ENV_WATER_T,C,28.69,C,ENV_OUTAIR_T,P,101400,P,ENV_ATMOS_P*4C": [
        "measurements": ["C 18.2 C ENV_WATER_T", "C 28.69 C ENV_OUTAIR_T", "P 101400.0 P ENV_ATMOS_P"]
      ],
      // Groups without a value are skipped.
      "$IIXDR,C,,C,AIRTEMP,A,-2.9,D,HEEL,A,2.1,D,TRIM,P,,B,BARO,A,-4.1,D,RUDDER*24": [
        "measurements": ["A -2.9 D HEEL", "A 2.1 D TRIM", "A -4.1 D RUDDER"]
      ],
      // A unit or a name may be missing.
      "HCXDR,A,169,D,PITCH,G,371,,MAGX": ["measurements": ["A 169.0 D PITCH", "G 371.0 - MAGX"]],
      "$YXXDR,P,0.98966,B*57": ["measurements": ["P 0.98966 B "]],
      "$YXXDR*4F": ["measurements": [String]()],
      // Names are converted to upper case and cut after 14 bytes.
      "IIXDR,P,1.0,B,Barometer": ["measurements": ["P 1.0 B BAROMETER"]],
      "IIXDR,P,1.0,B,ABCDEFGHIJKLMNOP": ["measurements": ["P 1.0 B ABCDEFGHIJKLMN"]],
      // Groups after the fifth are dropped.
      "IIXDR,C,0,C,A,C,1,C,A,C,2,C,A,C,3,C,A,C,4,C,A,C,5,C,A,C,6,C,A,C,7,C,A,C,8,C,A": [
        "measurements": ["C 0.0 C A", "C 1.0 C A", "C 2.0 C A", "C 3.0 C A", "C 4.0 C A"]
      ],
    ],
    flaws: [
      Flaw("IIXDR,P,1.0,B,C,18.2,C,WATER", .unexpectedLetter, at: 5, refused: true),
      Flaw("IIXDR,C,18,2,C,WATER", .unexpectedLetter, at: 5, refused: true),
      Flaw("IIXDR,C,1-8,C,WATER", .malformedNumber, at: 2),
    ])
}
