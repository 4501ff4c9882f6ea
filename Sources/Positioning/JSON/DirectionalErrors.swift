// SPDX-License-Identifier: Apache-2.0

/// The position errors of a fix along separate axes in metres, at 95 % confidence as in gpsd.
struct DirectionalErrors {
  /// The error in longitude (`epx`).
  var eastMeters: Double?
  /// The error in latitude (`epy`).
  var northMeters: Double?
  /// The error in three dimensions (`sep`): the root of the sum of the squares of the horizontal
  /// and the vertical error.
  var sphericalMeters: Double?

  /// Splits the horizontal error in the ratio of the dilutions, or equally if they are unknown.
  init(_ fix: Fix) {
    guard let horizontal = fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) else {
      return
    }
    let (x, y) = (fix.dilution.x ?? 0, fix.dilution.y ?? 0)
    let length = (x * x + y * y).squareRoot()
    if x > 0, y > 0, length.isFinite {
      (eastMeters, northMeters) = (horizontal * x / length, horizontal * y / length)
    } else {
      (eastMeters, northMeters) = (horizontal / 2.0.squareRoot(), horizontal / 2.0.squareRoot())
    }
    if let vertical = fix.verticalAccuracy?.verticalMeters(atConfidencePercent: 95) {
      sphericalMeters = (horizontal * horizontal + vertical * vertical).squareRoot()
    }
  }
}

extension Fix {
  /// Course over ground in degrees from magnetic north, 0 to below 360; `nil` if unknown.
  var courseDegreesMagnetic: Double? {
    guard let course = courseDegreesTrue, let variation = magneticVariationDegrees else {
      return nil
    }
    let degrees = (course - variation).truncatingRemainder(dividingBy: 360)
    return degrees < 0 ? degrees + 360 : degrees
  }
}
