// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Positioning

/// A coordinate as people type it: `51.48,-0.01`.
struct CoordinateArgument: ExpressibleByArgument {
  let coordinate: Coordinate

  /// Takes latitude and longitude in degrees with a comma between, with or without blanks.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.filter { $0 != " " }) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
      let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    else { return nil }
    coordinate = made
  }
}
