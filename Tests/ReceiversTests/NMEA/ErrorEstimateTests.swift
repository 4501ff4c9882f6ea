// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The accuracy of a fix: stated by the receiver or estimated from dilutions, at 95 % confidence.
@Suite struct ErrorEstimateTests {
  private let gga = "GPGGA,120000,4807.038,N,01131.000,E,1,08,1.1,545.4,M,46.9,M,,"
  private let gsa = "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,1.1,1.5"

  private struct Stated: Sendable, CustomTestStringConvertible {
    var sentence: String
    var horizontalMeters: Double
    var verticalMeters: Double
    var testDescription: String { sentence }
  }

  private static let stated: [Stated] = [
    // Standard deviations of 3 and 4 m: the 95 % radius is 2.4477 times their root mean square.
    Stated(
      sentence: "GPGST,120000,1.0,,,,3.0,4.0,5.0",
      horizontalMeters: 3.535_534 * 2.447_747, verticalMeters: 5 * 1.959_964),
    Stated(
      sentence: "GPGBS,120000,3.0,4.0,5.0,,,,",
      horizontalMeters: 3.535_534 * 2.447_747, verticalMeters: 5 * 1.959_964),
    // 50 % errors: the factors are 2.4477 / 1.1774 for a circle and 1.96 / 0.6745 for a line.
    Stated(sentence: "PGRME,15.0,M,22.5,M,27.0,M", horizontalMeters: 15 * 2.078_925, verticalMeters: 22.5 * 2.905_847),
  ]

  private func fix(_ sentences: String...) -> Fix? {
    var fixture = DecoderFixture()
    fixture.send(sentences)
    fixture.finish()
    return fixture.fixes.first
  }

  private func isNear(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) < 1e-3 * max(1, expected) } ?? false
  }

  private struct Estimated: Sendable, CustomTestStringConvertible {
    var quality: Int
    var status: FixStatus
    /// The standard deviation of a range measurement.
    var rangeErrorMeters: Double
    var testDescription: String { "\(status)" }
  }

  @Test(arguments: [
    Estimated(quality: 1, status: .autonomous, rangeErrorMeters: 3.0028),
    Estimated(quality: 2, status: .differential, rangeErrorMeters: 2.4022),
    Estimated(quality: 5, status: .rtkFloat, rangeErrorMeters: 0.45),
    Estimated(quality: 4, status: .rtkFixed, rangeErrorMeters: 0.174163),
  ])
  private func `the accuracy is estimated from the dilutions and the range error of the fix status`(
    estimated: Estimated
  ) {
    let fix = fix("GPGGA,120000,4807.038,N,01131.000,E,\(estimated.quality),08,1.1,545.4,M,46.9,M,,", gsa)
    let range = estimated.rangeErrorMeters
    #expect(fix?.status == estimated.status)
    #expect(isNear(fix?.horizontalAccuracy?.meters, 1.1 * range * 2.447_747 / 2.0.squareRoot()))
    #expect(isNear(fix?.verticalAccuracy?.meters, 1.5 * range * 1.959_964))
    #expect(fix?.horizontalAccuracy?.confidencePercent == 95)
    #expect(fix?.horizontalAccuracy?.basis == .dilution)
  }

  @Test(arguments: [6, 7])
  func `a dead-reckoned or surveyed position has no estimated accuracy`(quality: Int) {
    let fix = fix("GPGGA,120000,4807.038,N,01131.000,E,\(quality),08,1.1,545.4,M,46.9,M,,", gsa)
    #expect(fix?.dilution.horizontal == 1.1)
    #expect(fix?.horizontalAccuracy == nil)
    #expect(fix?.verticalAccuracy == nil)
  }

  @Test(arguments: stated)
  private func `an accuracy stated by the receiver has priority over the estimate, in any order`(stated: Stated) {
    for fix in [fix(gga, gsa, stated.sentence), fix(gga, stated.sentence, gsa)] {
      #expect(isNear(fix?.horizontalAccuracy?.meters, stated.horizontalMeters))
      #expect(isNear(fix?.verticalAccuracy?.meters, stated.verticalMeters))
      #expect(fix?.horizontalAccuracy?.basis == .receiver)
      #expect(fix?.horizontalAccuracy?.confidencePercent == 95)
    }
  }

  @Test func `the accuracies of a u-blox receiver are read from PUBX,00`() {
    let fix = fix(
      "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,"
        + "0.92,1.19,0.77,9,0,0")
    #expect(isNear(fix?.horizontalAccuracy?.meters, 2.1 * 2.447_747 / 1.509_592))
    #expect(fix?.altitudeMetersAboveEllipsoid == 546.589)
    #expect(fix?.altitudeMetersAboveSeaLevel == nil, "no separation was sent")
    #expect(fix?.climbMetersPerSecond == -0.007)
    #expect(fix?.mode == .threeDimensional)
  }

  @Test func `a fix with neither dilutions nor stated errors has no accuracy`() {
    let fix = fix("GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    #expect(fix?.horizontalAccuracy == nil)
    #expect(fix?.verticalAccuracy == nil)
  }

  @Test func `without a geoid separation, a fix has no altitude above the ellipsoid`() {
    #expect(fix(gga)?.altitudeMetersAboveEllipsoid == 545.4 + 46.9)
    let without = fix("GPGGA,120000,4807.038,N,01131.000,E,1,08,1.1,545.4,M,,M,,")
    #expect(without?.altitudeMetersAboveSeaLevel == 545.4)
    #expect(without?.altitudeMetersAboveEllipsoid == nil)
  }

  @Test(arguments: [
    "PGRME,0.00,M,0.00,M,29.40,M", "GPGST,120000,,,,,0.0,0.0,0.0", "GPGBS,120000,-3,-4,-5,,,,",
  ])
  func `a stated error of zero or less is ignored`(sentence: String) {
    let fix = fix(gga, gsa, sentence)
    #expect(isNear(fix?.horizontalAccuracy?.meters, 1.1 * 3.0028 * 2.447_747 / 2.0.squareRoot()))
    #expect(fix?.horizontalAccuracy?.basis == .dilution)
    #expect(fix?.verticalAccuracy?.basis == .dilution)
  }
}
