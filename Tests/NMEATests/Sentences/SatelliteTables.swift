// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Sentences about satellites, and about the expected errors of a position.
extension SentenceTable {
  static let gsa = SentenceTable(
    "gsa",
    [
      "$GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47*17": [
        "selection": UInt8(ascii: "A"), "mode": 3, "satellites": [80, 71, 73, 79, 69], "positionDilution": 1.83,
        "horizontalDilution": 1.09, "verticalDilution": 1.47,
      ],
      // Twelve satellites and the system id.
      "GNGSA,M,2,01,02,03,04,05,06,07,08,09,10,11,12,1.8,1.0,1.4,4": [
        "selection": UInt8(ascii: "M"), "mode": 2, "satellites": Array(1...12), "positionDilution": 1.8,
        "horizontalDilution": 1.0, "verticalDilution": 1.4, "systemID": 4,
      ],
      "GPGSA,A,1,,,,": ["selection": UInt8(ascii: "A"), "mode": 1, "satellites": [Int]()],
      "GPGSA,A": ["selection": UInt8(ascii: "A"), "satellites": [Int]()],
      "GPGSA,,,,,,,,,,,,,,,,,,": ["satellites": [Int]()],
    ],
    flaws: [
      Flaw("GPGSA,AA,3,80,71,,,,,,,,,,,1.83,1.09,1.47", .unexpectedLetter, at: 1, refused: true),
      Flaw("GPGSA,A,4,80,71,,,,,,,,,,,1.83,1.09,1.47", .outOfRange, at: 2),
      Flaw("GPGSA,A,3,80,7l,,,,,,,,,,,1.83,1.09,1.47", .malformedNumber, at: 4),
      Flaw("GPGSA,A,3,80,65536,,,,,,,,,,,1.83,1.09,1.47", .outOfRange, at: 4),
      Flaw("GPGSA,A,3,80,71,,,,,,,,,,,1.83,1..9,1.47", .malformedNumber, at: 16),
    ])

  static let gsv = SentenceTable(
    "gsv",
    [
      "$GPGSV,3,1,10,03,41,050,46,07,60,317,49,08,34,315,45,11,35,148,45*71": [
        "sentenceCount": 3, "sentenceNumber": 1, "satellitesInView": 10,
        "satellites": [
          satellite(3, 41, 50, 46), satellite(7, 60, 317, 49), satellite(8, 34, 315, 45), satellite(11, 35, 148, 45),
        ],
      ],
      "GPGSV,1,1,00": ["sentenceCount": 1, "sentenceNumber": 1, "satellitesInView": 0, "satellites": [Int]()],
      "GPGSV,1": ["sentenceCount": 1, "satellites": [Int]()],
      "GPGSV,,,,,,,,,,,,,,,,,,,,": ["satellites": [Int]()],
    ],
    flaws: [
      Flaw("GPGSV,x,1,10,03,41,050,46", .malformedNumber, at: 1),
      Flaw("GPGSV,3,100,10,03,41,050,46", .outOfRange, at: 2),
      Flaw("GPGSV,3,1,10,03,91,050,46", .outOfRange, at: 5),
      Flaw("GPGSV,3,1,10,03,-5,050,46", .outOfRange, at: 5),
      Flaw("GPGSV,3,1,10,03,41,361,46", .outOfRange, at: 6),
      Flaw("GPGSV,3,1,10,03,41,050,100", .outOfRange, at: 7),
      Flaw("GPGSV,3,1,10,0 3,41,050,46", .malformedNumber, at: 4),
      Flaw("GPGSV,3,1,10,1.83,41,050,46", .malformedNumber, at: 4),
      Flaw("GPGSV,3,1,10,03,41,050,46,G", .malformedNumber, at: 8),
    ])

  private static func satellite(_ number: UInt16, _ elevation: UInt32, _ azimuth: UInt32, _ signal: UInt32)
    -> SatelliteInView
  {
    SatelliteInView(
      number: number, elevationDegrees: elevation, azimuthDegrees: azimuth, signalToNoiseDBHz: signal)
  }

  static let gst = SentenceTable(
    "gst",
    [
      "$GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746*61": [
        "time": TimeOfDay(hour: 11, minute: 22, second: 57), "rangeResidualMeters": 0.387, "semiMajorMeters": 317.719,
        "semiMinorMeters": 3.872, "orientationDegrees": 1.791, "latitudeErrorMeters": 317.563,
        "longitudeErrorMeters": 10.659, "altitudeErrorMeters": 180.746,
      ],
      "GPGST,112257.00,0.387": ["time": TimeOfDay(hour: 11, minute: 22, second: 57), "rangeResidualMeters": 0.387],
      "GPGST,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPGST,112257.00,0.387,317.719,3.872,1.791,inf,10.659,180.746", .malformedNumber, at: 6),
      Flaw("GPGST,112257.00,0.387,317.719,3.872,1.791,1e3,10.659,180.746", .malformedNumber, at: 6),
    ])

  static let gbs = SentenceTable(
    "gbs",
    [
      "$GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000*53": [
        "time": TimeOfDay(hour: 11, minute: 22, second: 57), "latitudeErrorMeters": 123.204,
        "longitudeErrorMeters": 0.490, "altitudeErrorMeters": 75.521, "faultySatellite": 23,
        "missedDetectionProbability": 0.0, "biasMeters": 0.0, "biasDeviationMeters": 0.0,
      ],
      // The system and signal ids of NMEA 4.1.
      "GNGBS,112257.00,1.2,0.5,7.5,23,0.25,-1.5,2.5,1,B": [
        "time": TimeOfDay(hour: 11, minute: 22, second: 57), "latitudeErrorMeters": 1.2, "longitudeErrorMeters": 0.5,
        "altitudeErrorMeters": 7.5, "faultySatellite": 23, "missedDetectionProbability": 0.25, "biasMeters": -1.5,
        "biasDeviationMeters": 2.5, "systemID": 1, "signalID": 11,
      ],
      "GPGBS,112257.00,1.2": ["time": TimeOfDay(hour: 11, minute: 22, second: 57), "latitudeErrorMeters": 1.2],
      "GPGBS,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPGBS,112257.00,1.2,0.5,7.5,99999,,,", .outOfRange, at: 5),
      Flaw("GPGBS,112257.00,1.2,0.5,7.5,23,,,,1,XY", .malformedNumber, at: 10),
      Flaw("GPGBS,112257.00,1.2,0.5,7.5,23,,,,123,1", .malformedNumber, at: 9),
    ])

  static let pgrme = SentenceTable(
    "pgrme",
    [
      "$PGRME,15.0,M,22.5,M,27.0,M*1A": [
        "horizontalErrorMeters": 15.0, "verticalErrorMeters": 22.5, "positionErrorMeters": 27.0,
      ],
      "PGRME,15.0,M": ["horizontalErrorMeters": 15.0],
      "PGRME,,,,,,": [:],
    ],
    flaws: [
      Flaw("PGRME,15,0,M,22.5,M,27.0,M", .unexpectedLetter, at: 2, refused: true),
      Flaw("PGRME,15.0,M,+-22.5,M,27.0,M", .malformedNumber, at: 3),
    ])

  static let psrfepe = SentenceTable(
    "psrfepe",
    [
      "$PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.0*24": [
        "time": TimeOfDay(hour: 10, minute: 5, second: 42), "isValid": true, "horizontalDilution": 0.7,
        "horizontalErrorMeters": 6.82, "verticalErrorMeters": 10.69, "speedErrorMetersPerSecond": 0.0,
        "courseErrorDegrees": 180.0,
      ],
      // A receiver without a fix.
      "$PSRFEPE,074150.799,V,,,,,*23": [
        "time": TimeOfDay(hour: 7, minute: 41, second: 50, nanosecond: 799_000_000), "isValid": false,
      ],
    ],
    flaws: [
      Flaw("PSRFEPE,100542.000,A,0.7,6.8x,10.69,0.0,180.0", .malformedNumber, at: 4),
      Flaw("PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.1", .outOfRange, at: 7),
      Flaw("PSRFEPE,250000,A,0.7,,,,", .malformedTime, at: 1, refused: true),
    ])
}
