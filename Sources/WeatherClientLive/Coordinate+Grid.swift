// SPDX-License-Identifier: Apache-2.0

internal import Positioning

extension Coordinate {
  /// The coordinate on a grid of hundredths of a degree (1.1 km north-south): nobody who is asked
  /// for the weather needs to know more.
  var roundedToGrid: Coordinate {
    let latitude = (latitudeDegrees * 100).rounded() / 100
    let longitude = (longitudeDegrees * 100).rounded() / 100
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) ?? self
  }
}

extension Double {
  /// The value with two decimals and a point, whatever the locale.
  var inHundredths: String {
    let hundredths = Int((self * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
