// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import Receivers
internal import SystemSupport

/// What a simulated receiver has measured at one epoch: the content of its sentences.
struct SimulatedSolution {
  var time: UTCTime
  var timePlaces: Int
  var coordinate: Coordinate
  var altitude: Double
  var geoidSeparation: Double
  var speed: Double
  var course: Double?
  var satellites: [SimulatedSky.Satellite]
  var dilution: SimulatedDilution?
  var rangeError: Double

  /// The semi-axes of the error ellipse in metres, one standard deviation, and the direction of
  /// the longer one in degrees from north.
  var errorEllipse: (major: Double, minor: Double, orientation: Double)? {
    guard let dilution else { return nil }
    let (e, n, en) = (
      dilution.east * dilution.east, dilution.north * dilution.north, dilution.eastNorth
    )
    let mean = (e + n) / 2
    let swing = (((e - n) / 2) * ((e - n) / 2) + en * en).squareRoot()
    let orientation = 0.5 * atan2(2 * en, n - e) * (180 / .pi)
    return (
      rangeError * (mean + swing).squareRoot(),
      rangeError * max(0, mean - swing).squareRoot(),
      orientation < 0 ? orientation + 180 : orientation
    )
  }
}
