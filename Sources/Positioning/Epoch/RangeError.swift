// SPDX-License-Identifier: Apache-2.0

/// The standard deviation of a receiver's ranges, which a dilution multiplies into an error.
///
/// A horizontal dilution of 1 and an error of 3 m a range make a position that is 3 m off in the
/// root mean square. The figures are those of makers for an open sky, at a dilution of 1. Multipath
/// and a covered sky are not in them.
///
/// `make bench` measures how often the recorded receivers that stood still kept within the result.
struct RangeError {
  let meters: Double

  /// The range error of a fix that was obtained in a given way.
  ///
  /// Gives `nil` where the dilution says nothing of the error: a reckoned position errs by its age,
  /// a surveyed one by its survey.
  init?(_ status: FixStatus?) {
    switch status {
    case nil, .autonomous, .combined, .simulated, .precisePositioning:
      // 2.5 m CEP: u-blox NEO-M8 data sheet, UBX-15031086; SkyTraq and Quectel state the same. 95 %
      // are 5.2 m then. The GPS SPS Performance Standard (2020), table 3.8-3, commits to 8 m; the
      // FAA measures 3 m with surveyed antennas (GPS SPS Performance Analysis Reports).
      meters = Self.meters(circularErrorProbable: 2.5)
    case .differential:
      // 2.0 m CEP with SBAS: the same data sheet. The FAA measures 1 m at 95 % (WAAS Performance
      // Analysis Reports), again with surveyed antennas.
      meters = Self.meters(circularErrorProbable: 2)
    case .rtkFloat:
      // 0.45 m horizontal RMS while ambiguities converge: NovAtel OEMV Installation and Operation
      // User Manual, OM-20000093 rev. 5B, table 20.
      meters = 0.45
    case .rtkFixed:
      // 0.01 m + 1 ppm CEP: u-blox ZED-F9P data sheet, RTK position accuracy. The
      // sentence states neither the baseline nor the error of the base's own position: 35 km are
      // assumed, which few networks exceed, and 0.1 m, as of a base that surveys itself in.
      meters = Self.meters(circularErrorProbable: 0.01 + 0.035 + 0.1)
    case .deadReckoning, .surveyed:
      return nil
    }
  }

  /// Half of all positions lie within 1.1774 standard deviations of one of two equal axes.
  private static func meters(circularErrorProbable radius: Double) -> Double {
    radius * 2.0.squareRoot() / 1.177_410
  }

  /// The radius that holds 95 %, where east and north err alike: 2.4477 standard deviations.
  func horizontalMeters(dilution: Double) -> Double {
    meters * dilution * 2.447_747 / 2.0.squareRoot()
  }

  /// The half-width that holds 95 %: 1.96 standard deviations.
  func verticalMeters(dilution: Double) -> Double { meters * dilution * 1.959_964 }
}
