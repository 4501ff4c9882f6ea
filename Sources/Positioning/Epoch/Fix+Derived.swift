// SPDX-License-Identifier: Apache-2.0

extension Fix {
  /// Fills in error estimates from the dilutions, where the receiver stated none.
  mutating func estimateErrors() {
    guard let range = RangeError(status) else { return }
    if horizontalAccuracy == nil, let dilution = dilution.horizontal {
      horizontalAccuracy = Accuracy(
        meters: range.horizontalMeters(dilution: dilution), confidencePercent: 95, basis: .dilution)
    }
    if mode == .threeDimensional, verticalAccuracy == nil, let dilution = dilution.vertical {
      verticalAccuracy = Accuracy(
        meters: range.verticalMeters(dilution: dilution), confidencePercent: 95, basis: .dilution)
    }
  }

  /// Fills in the third of two altitudes and the separation between their surfaces.
  mutating func deriveAltitudes() {
    guard let separation = geoidSeparationMeters else { return }
    if let seaLevel = altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid == nil {
      altitudeMetersAboveEllipsoid = seaLevel + separation
    } else if let ellipsoid = altitudeMetersAboveEllipsoid, altitudeMetersAboveSeaLevel == nil {
      altitudeMetersAboveSeaLevel = ellipsoid - separation
    }
  }

  /// Drops the altitude of a fix that has two dimensions: it was assumed, not solved.
  mutating func withoutAltitude() {
    altitudeMetersAboveSeaLevel = nil
    altitudeMetersAboveEllipsoid = nil
    geoidSeparationMeters = nil
    verticalAccuracy = nil
    climbMetersPerSecond = nil
  }
}
