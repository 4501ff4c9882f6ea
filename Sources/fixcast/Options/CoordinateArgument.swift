// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Positioning

/// A coordinate as people type it: `51.48,-0.01`.
struct CoordinateArgument: ExpressibleByArgument {
  let coordinate: Coordinate

  /// Takes latitude and longitude in degrees with a comma between, with or without blanks: digits,
  /// sign and point alone, as nobody means what else a number can be written with.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " } }
      .map { $0.allSatisfy { "+-.0123456789".contains($0) } ? Double($0) : nil }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
      let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return nil }
    coordinate = made
  }
}
