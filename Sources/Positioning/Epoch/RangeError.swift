// SPDX-License-Identifier: Apache-2.0

/// The standard deviation of a receiver's range measurements; multiplied by a dilution, a position
/// error.
///
/// With a horizontal dilution of 1 and a range error of 3 m, the root mean square position error is
/// 3 m. The figures below are from manufacturers, for an open sky and a dilution of 1. They
/// do not include multipath or an obstructed sky.
///
/// `make bench` measures how often recorded stationary receivers stayed within the estimate.
struct RangeError {
  let meters: Double

  /// Makes the range error for a fix status.
  ///
  /// Returns `nil` if the error does not depend on the dilution, as for dead reckoning and surveyed
  /// positions.
  init?(_ status: FixStatus?) {
    switch status {
    case nil, .autonomous, .combined, .simulated, .precisePositioning:
      // 2.5 m CEP, which is 5.2 m at 95 %: u-blox NEO-M8 data sheet, UBX-15031086; SkyTraq and
      // Quectel state the same. At 95 %, the GPS SPS Performance Standard (2020), table 3.8-3,
      // commits to 8 m; the FAA measures 3 m with surveyed antennas (GPS SPS Performance Analysis
      // Reports).
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
      // 0.01 m + 1 ppm CEP: u-blox ZED-F9P data sheet, RTK position accuracy. The sentence states
      // neither the baseline nor the position error of the base station. A baseline of 35 km is
      // assumed, which few networks exceed, and an error of 0.1 m, as for a base station with
      // survey-in.
      meters = Self.meters(circularErrorProbable: 0.01 + 0.035 + 0.1)
    case .deadReckoning, .surveyed:
      return nil
    }
  }

  /// Converts a CEP radius, which is 1.1774 standard deviations of one of two equal axes.
  private static func meters(circularErrorProbable radius: Double) -> Double {
    radius * 2.0.squareRoot() / 1.177_410
  }

  /// Returns the 95 % radius for equal errors to the east and to the north: 2.4477 standard
  /// deviations.
  func horizontalMeters(dilution: Double) -> Double {
    meters * dilution * 2.447_747 / 2.0.squareRoot()
  }

  /// Returns the 95 % half-width: 1.96 standard deviations.
  func verticalMeters(dilution: Double) -> Double { meters * dilution * 1.959_964 }
}
