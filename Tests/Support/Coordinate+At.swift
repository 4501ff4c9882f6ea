// SPDX-License-Identifier: Apache-2.0

package import Positioning

extension Coordinate {
  /// A coordinate that the test knows to be on the globe.
  ///
  /// - Parameters:
  ///   - latitude: Degrees, north positive.
  ///   - longitude: Degrees, east positive.
  /// - Returns: The coordinate.
  package static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      preconditionFailure("\(latitude), \(longitude) is not on the globe")
    }
    return made
  }
}
