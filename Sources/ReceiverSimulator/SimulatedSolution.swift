// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The values measured by a simulated receiver for one epoch, in metres, metres per second and
/// degrees.
struct SimulatedSolution {
  var time: UTCTime
  var timePlaces: Int
  var coordinate: Coordinate
  var altitude: Double
  var geoidSeparation: Double
  var speed: Double
  var course: Double?
  var satellites: [SimulatedSky.Satellite]
  var dilution: SimulatedSky.Dilution?
  var rangeError: Double
}
