// SPDX-License-Identifier: Apache-2.0

extension Fix {
  /// The fix that a location was made of, for those who write it as `TPV`.
  public init(_ location: Location) {
    self.init(mode: location.mode)
    time = location.time
    coordinate = location.coordinate
    altitudeMetersAboveSeaLevel = location.altitudeMetersAboveSeaLevel
    altitudeMetersAboveEllipsoid = location.altitudeMetersAboveEllipsoid
    geoidSeparationMeters = location.geoidSeparationMeters
    horizontalAccuracy = location.horizontalAccuracy
    verticalAccuracy = location.verticalAccuracy
    speedMetersPerSecond = location.speedMetersPerSecond
    courseDegreesTrue = location.courseDegreesTrue
    climbMetersPerSecond = location.climbMetersPerSecond
    magneticVariationDegrees = location.magneticVariationDegrees
    dilution = location.dilution
    satellitesUsed = location.satellitesUsed
    status = location.status
    correctionAgeSeconds = location.correctionAgeSeconds
    source = location.source
    isSimulated = location.isSimulated
    isDateCorrected = location.isDateCorrected
    receivedAt = location.receivedAt
  }
}
