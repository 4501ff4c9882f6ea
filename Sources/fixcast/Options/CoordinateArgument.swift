// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Positioning

/// A coordinate on the command line, such as `51.48,-0.01`.
struct CoordinateArgument: ExpressibleByArgument {
  let coordinate: Coordinate

  /// Parses latitude and longitude in degrees, separated by a comma, with optional spaces.
  ///
  /// Accepts only digits, signs and decimal points: no exponents, hexadecimal numbers or names such
  /// as "nan".
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " } }
      .map { $0.allSatisfy { "+-.0123456789".contains($0) } ? Double($0) : nil }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
      let parsed = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return nil }
    coordinate = parsed
  }
}
