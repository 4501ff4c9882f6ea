// SPDX-License-Identifier: Apache-2.0

internal import Positioning

extension Location {
  /// The location as a client of reduced accuracy may know it.
  ///
  /// Snapped to a grid that never moves, so that many locations of one place say no more than one
  /// does: noise could be averaged away. A step of 0.05 degrees puts at most 3.94 km between a
  /// location and its grid point, and the radius covers that together with the receiver's own
  /// error. What tells of the surroundings or of motion is left out.
  ///
  /// A reduced location reduces to itself.
  var reduced: Location {
    let stepsPerDegree = 20.0
    func snapped(_ degrees: Double) -> Double {
      // Adding zero turns -0 into 0.
      (degrees * stepsPerDegree).rounded() / stepsPerDegree + 0
    }
    var reduced = self
    reduced.coordinate =
      Coordinate(
        latitudeDegrees: snapped(coordinate.latitudeDegrees),
        longitudeDegrees: snapped(coordinate.longitudeDegrees)) ?? coordinate
    let gridMeters = 3940.0
    let ownMeters = horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) ?? 0
    // The receiver did not state this; the other basis is the one for what was computed.
    let radius = reduced.coordinate == coordinate ? ownMeters : gridMeters + ownMeters
    reduced.horizontalAccuracy = Accuracy(
      meters: max(5000, radius), confidencePercent: 95, basis: .dilution)
    reduced.mode = .twoDimensional
    reduced.altitudeMetersAboveSeaLevel = nil
    reduced.altitudeMetersAboveEllipsoid = nil
    reduced.geoidSeparationMeters = nil
    reduced.verticalAccuracy = nil
    reduced.speedMetersPerSecond = nil
    reduced.courseDegreesTrue = nil
    reduced.climbMetersPerSecond = nil
    reduced.magneticVariationDegrees = nil
    reduced.dilution = Dilution()
    return reduced
  }
}
