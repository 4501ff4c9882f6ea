// SPDX-License-Identifier: Apache-2.0

extension Fix {
  /// Range errors in metres by which a dilution is multiplied for an error at 95 %.
  ///
  /// gpsd's, `gpsd/libgpsd_core.c`: its authors call them guesses, and so should whoever uses
  /// the result.
  enum RangeError {
    static let horizontalMeters = 19.0
    static let horizontalDifferentialMeters = 4.75
    static let verticalMeters = 23.0
    static let verticalDifferentialMeters = 5.75
  }

  /// Whether corrections of any kind made the ranges better.
  private var isCorrected: Bool {
    switch status {
    case .differential, .rtkFixed, .rtkFloat: true
    default: false
    }
  }

  /// Fills in error estimates from the dilutions, where the receiver stated none.
  mutating func estimateErrors() {
    if horizontalAccuracy == nil, let dilution = dilution.horizontal {
      let range =
        isCorrected ? RangeError.horizontalDifferentialMeters : RangeError.horizontalMeters
      horizontalAccuracy = Accuracy(
        meters: dilution * range, confidencePercent: 95, basis: .dilution)
    }
    if mode == .threeDimensional, verticalAccuracy == nil, let dilution = dilution.vertical {
      let range = isCorrected ? RangeError.verticalDifferentialMeters : RangeError.verticalMeters
      verticalAccuracy = Accuracy(
        meters: dilution * range, confidencePercent: 95, basis: .dilution)
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

extension Dilution {
  /// Takes what another set knows.
  mutating func merge(_ other: Dilution) {
    x = other.x ?? x
    y = other.y ?? y
    horizontal = other.horizontal ?? horizontal
    vertical = other.vertical ?? vertical
    position = other.position ?? position
    time = other.time ?? time
  }
}
