// SPDX-License-Identifier: Apache-2.0

package import Positioning

extension Coordinate {
  /// Makes a coordinate from valid degrees; stops the test if the degrees are out of range.
  package static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      preconditionFailure("\(latitude), \(longitude) is out of range")
    }
    return made
  }
}
