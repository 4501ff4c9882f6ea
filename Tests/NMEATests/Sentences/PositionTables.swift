// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Sentences with a position.
extension SentenceTable {
  static let gga = SentenceTable(
    "gga",
    [
      "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76": [
        "time": TimeOfDay(hour: 9, minute: 27, second: 50), "latitudeDegrees": 53.361336666666666,
        "longitudeDegrees": -6.50562, "quality": FixQuality.autonomous, "satellitesUsed": 8, "horizontalDilution": 1.03,
        "altitudeMetersAboveSeaLevel": 61.7, "geoidSeparationMeters": 55.2,
      ],
      // Negative heights, an unknown dilution, and the fields about corrections.
      "GNGGA,235959.25,3723.2475,S,12158.3416,E,4,12,99.99,-12.5,M,-28.3,M,3.5,0138": [
        "time": TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 250_000_000),
        "latitudeDegrees": -37.387458333333335, "longitudeDegrees": 121.97236, "quality": FixQuality.rtkFixed,
        "satellitesUsed": 12, "altitudeMetersAboveSeaLevel": -12.5, "geoidSeparationMeters": -28.3,
        "correctionAgeSeconds": 3.5, "stationNumber": 138,
      ],
      "GPGGA,092750.000,5321.6802,N,00630.3372,W,1": [
        "time": TimeOfDay(hour: 9, minute: 27, second: 50), "latitudeDegrees": 53.361336666666666,
        "longitudeDegrees": -6.50562, "quality": FixQuality.autonomous,
      ],
      "GPGGA,,,,,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPGGA,092761,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedTime, at: 1, refused: true),
      Flaw("GPGGA,250000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedTime, at: 1, refused: true),
      Flaw("GPGGA,092750,53x1.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber, at: 2, refused: true),
      Flaw("GPGGA,092750,nan,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber, at: 2, refused: true),
      Flaw("GPGGA,092750,-5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber, at: 2, refused: true),
      Flaw("GPGGA,092750,8960.0000,N,00000.0000,E,0,0,,137.0,M,13.0,M,,", .outOfRange, at: 2),
      Flaw("GPGGA,092750,9000.0001,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .outOfRange, at: 2),
      Flaw("GPGGA,092750,5321.6802,X,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .unexpectedLetter, at: 3, refused: true),
      Flaw("GPGGA,092750,5321.6802,,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .unexpectedLetter, at: 3, refused: true),
      Flaw("GPGGA,092750,5321.6802,N,18000.0001,W,1,8,1.03,61.7,M,55.2,M,,", .outOfRange, at: 4),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,256,8,1.03,61.7,M,55.2,M,,", .outOfRange, at: 6),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,-8,1.03,61.7,M,55.2,M,,", .outOfRange, at: 7),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.0.3,61.7,M,55.2,M,,", .malformedNumber, at: 8),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,6l.7,M,55.2,M,,", .malformedNumber, at: 9),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61,7,M,55.2,M,,", .unexpectedLetter, at: 10, refused: true),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,.,M,,", .malformedNumber, at: 11),
      Flaw("GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,10000", .outOfRange, at: 14),
      // A position without its hemisphere is refused.
      Flaw("GPGGA,092750.000,5321.6802", .unexpectedLetter, at: 3, refused: true),
    ])

  static let rmc = SentenceTable(
    "rmc",
    [
      "$GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A*7B": [
        "time": TimeOfDay(hour: 0, minute: 10, second: 31), "status": PositionStatus.valid,
        "latitudeDegrees": 44.06899883333333, "longitudeDegrees": -121.31433716666666,
        "speedMetersPerSecond": 0.07510888888888889, "date": CalendarDate(year: 2017, month: 1, day: 10),
        "mode": ModeIndicator.autonomous,
      ],
      // A leap second, a year of four digits and a westerly variation.
      "GPRMC,235960.5,V,3723.2475,S,12158.3416,E,10.5,360.0,31121999,3.1,W,N,V": [
        "time": TimeOfDay(hour: 23, minute: 59, second: 60, nanosecond: 500_000_000), "status": PositionStatus.void,
        "latitudeDegrees": -37.387458333333335, "longitudeDegrees": 121.97236,
        "speedMetersPerSecond": 5.401666666666666, "courseDegreesTrue": 0.0,
        "date": CalendarDate(year: 1999, month: 12, day: 31), "magneticVariationDegrees": -3.1,
        "mode": ModeIndicator.notValid, "navigationalStatus": UInt8(ascii: "V"),
      ],
      // A variation without its direction is unknown.
      "GPRMC,001031,A,,,,,,,,3.1,,A": [
        "time": TimeOfDay(hour: 0, minute: 10, second: 31), "status": PositionStatus.valid,
        "mode": ModeIndicator.autonomous,
      ],
      "GPRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117": [
        "time": TimeOfDay(hour: 0, minute: 10, second: 31), "status": PositionStatus.valid,
        "latitudeDegrees": 44.06899883333333, "longitudeDegrees": -121.31433716666666,
        "speedMetersPerSecond": 0.07510888888888889, "date": CalendarDate(year: 2017, month: 1, day: 10),
      ],
      "GPRMC": [:],
      "GPRMC,,,,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPRMC,0010,A,4404.1,N,12118.8,W,0.1,,100117,,,A", .malformedTime, at: 1, refused: true),
      Flaw("GPRMC,001031.00.1,A,4404.1,N,12118.8,W,0.1,,100117,,,A", .malformedTime, at: 1, refused: true),
      Flaw("GPRMC,001031,AA,4404.1,N,12118.8,W,0.1,,100117,,,A", .unexpectedLetter, at: 2, refused: true),
      Flaw("GPRMC,001031,A,4404.1,E,12118.8,W,0.1,,100117,,,A", .unexpectedLetter, at: 4, refused: true),
      Flaw("GPRMC,001031,A,4404.1,N,12178.8,W,0.1,,100117,,,A", .outOfRange, at: 5),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,N,0.1,,100117,,,A", .unexpectedLetter, at: 6, refused: true),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,-0.1,,100117,,,A", .outOfRange, at: 7),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,360.1,100117,,,A", .outOfRange, at: 8),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,0604-1,,,A", .malformedDate, at: 9),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,000117,,,A", .malformedDate, at: 9),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,011317,,,A", .malformedDate, at: 9),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,1001170,,,A", .malformedDate, at: 9),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,-1,,,A", .malformedDate, at: 9),
      Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,100117,0x1,E,A", .malformedNumber, at: 10),
      // A position without its hemisphere is refused.
      Flaw("GPRMC,001031.00,A,4404.13993,N,12118.86023", .unexpectedLetter, at: 6, refused: true),
    ])

  static let gll = SentenceTable(
    "gll",
    [
      "$GNGLL,4404.14012,N,12118.85993,W,001037.00,A,A*67": [
        "latitudeDegrees": 44.069002, "longitudeDegrees": -121.31433216666667,
        "time": TimeOfDay(hour: 0, minute: 10, second: 37), "status": PositionStatus.valid,
        "mode": ModeIndicator.autonomous,
      ],
      // An invalid position at the limits of the coordinates.
      "GPGLL,0000.0000,S,18000.0000,W,001037,V,N": [
        "latitudeDegrees": 0.0, "longitudeDegrees": -180.0, "time": TimeOfDay(hour: 0, minute: 10, second: 37),
        "status": PositionStatus.void, "mode": ModeIndicator.notValid,
      ],
      "GPGLL,4404.14012,N,12118.85993,W": ["latitudeDegrees": 44.069002, "longitudeDegrees": -121.31433216666667],
      "GPGLL,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GPGLL,4404;1,N,12118.8,W,001037,A,A", .malformedNumber, at: 1, refused: true),
      Flaw("GPGLL,4404.1,n,12118.8,W,001037,A,A", .unexpectedLetter, at: 2, refused: true),
      Flaw("GPGLL,4404.1,N,12118.8,East,001037,A,A", .unexpectedLetter, at: 4, refused: true),
      Flaw("GPGLL,4404.1,N,12118.8,W,00:10:37,A,A", .malformedTime, at: 5, refused: true),
      // A position without its hemispheres is refused.
      Flaw("GPGLL,4404.14012", .unexpectedLetter, at: 2, refused: true),
      Flaw("GPGLL,4404.14012,N,12118.85993,", .unexpectedLetter, at: 4, refused: true),
    ])

  static let gns = SentenceTable(
    "gns",
    [
      "$GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN,21,0.53,01443.9,-016.5,,*54": [
        "time": TimeOfDay(hour: 17, minute: 6, second: 0), "latitudeDegrees": 41.193313333333336,
        "longitudeDegrees": -111.94277783333334, "modes": 0x41414E4E, "satellitesUsed": 21, "horizontalDilution": 0.53,
        "altitudeMetersAboveSeaLevel": 1443.9, "geoidSeparationMeters": -16.5,
      ],
      // The fields about corrections, and the navigational status.
      "GNGNS,170600.000,4111.59880,N,11156.56667,W,NRDFNN,21,0.53,1443.9,-16.5,1.2,0042,S": [
        "time": TimeOfDay(hour: 17, minute: 6, second: 0), "latitudeDegrees": 41.193313333333336,
        "longitudeDegrees": -111.94277783333334, "modes": 0x4E5244464E4E, "satellitesUsed": 21,
        "horizontalDilution": 0.53, "altitudeMetersAboveSeaLevel": 1443.9, "geoidSeparationMeters": -16.5,
        "correctionAgeSeconds": 1.2, "stationNumber": 42, "navigationalStatus": UInt8(ascii: "S"),
      ],
      "GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN": [
        "time": TimeOfDay(hour: 17, minute: 6, second: 0), "latitudeDegrees": 41.193313333333336,
        "longitudeDegrees": -111.94277783333334, "modes": 0x41414E4E,
      ],
      "GNGNS,,,,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw("GNGNS,170600,4111.5,N,11156.5,W,AANN,21.x,0.53,1443.9,-16.5,,", .malformedNumber, at: 7),
      Flaw("GNGNS,170600,4111.5,N,11156.5,W,AANN,21,0.53,1443.9,-16.5,,,SS", .unexpectedLetter, at: 13, refused: true),
      // A position without its hemisphere is refused.
      Flaw("GNGNS,170600.000,4111.59880,N,11156.56667", .unexpectedLetter, at: 5, refused: true),
    ])

  static let pubx00 = SentenceTable(
    "pubx00",
    [
      "$PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0*5F": [
        "time": TimeOfDay(hour: 8, minute: 13, second: 50), "latitudeDegrees": 47.28522016666667,
        "longitudeDegrees": 8.565253116666666, "altitudeMetersAboveEllipsoid": 546.589, "status": 0x4733,
        "horizontalAccuracyMeters": 2.1, "verticalAccuracyMeters": 2.0, "speedMetersPerSecond": 0.0019444444444444444,
        "courseDegreesTrue": 77.52, "climbMetersPerSecond": -0.007, "horizontalDilution": 0.92,
        "verticalDilution": 1.19, "timeDilution": 0.77, "satellitesUsed": 9,
      ],
      "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589": [
        "time": TimeOfDay(hour: 8, minute: 13, second: 50), "latitudeDegrees": 47.28522016666667,
        "longitudeDegrees": 8.565253116666666, "altitudeMetersAboveEllipsoid": 546.589,
      ],
      // A value is never a negative zero.
      "PUBX,00,,0000.0,S,00000.0,W,-0.0,,,,-0.0,-0.0,0.000,,,,,,,": [
        "latitudeDegrees": 0.0, "longitudeDegrees": 0.0, "altitudeMetersAboveEllipsoid": 0.0,
        "speedMetersPerSecond": 0.0, "courseDegreesTrue": 0.0, "climbMetersPerSecond": 0.0,
      ],
      "PUBX,00": [:],
      "PUBX,00,,,,,,,,,,,,,,,,,,,": [:],
    ],
    flaws: [
      Flaw(
        "PUBX,00,081350.00,4717.1x,N,00833.9,E,546.5,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0",
        .malformedNumber, at: 3, refused: true),
      Flaw(
        "PUBX,00,081350.00,4717.1,N,00833.9,E,546.5,G3,2.1,2.0,0.007,77.52,0.0.7,,0.92,1.19,0.77,9,0,0",
        .malformedNumber, at: 13),
    ])
}
