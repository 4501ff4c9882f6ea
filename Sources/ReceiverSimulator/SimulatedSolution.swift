// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The measured values of a simulated receiver for one epoch, as sent in its sentences.
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
