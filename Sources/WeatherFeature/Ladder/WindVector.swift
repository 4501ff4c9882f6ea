// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import WeatherClient

/// Wind as a vector, in metres per second.
struct WindVector {
  private let north: Double
  private let east: Double

  /// The wind of a moment; `nil` where speed or direction is unknown.
  ///
  /// Calm needs no direction.
  init?(_ weather: CurrentWeather) {
    guard let speed = weather.windSpeedMetersPerSecond else { return nil }
    guard speed != 0 else {
      (north, east) = (0, 0)
      return
    }
    guard let direction = weather.windDirectionDegreesTrue else { return nil }
    north = speed * cos(direction.radians)
    east = speed * sin(direction.radians)
  }

  private init(north: Double, east: Double) {
    self.north = north
    self.east = east
  }

  /// The vector at a part of the way to another.
  func between(_ other: WindVector, part: Double) -> WindVector {
    WindVector(
      north: north + (other.north - north) * part, east: east + (other.east - east) * part)
  }

  var speedMetersPerSecond: Double { (north * north + east * east).squareRoot() }

  /// Where it comes from, 0 to below 360; `nil` in a calm.
  var directionDegreesTrue: Double? {
    speedMetersPerSecond < 0.005 ? nil : atan2(east, north).degrees.turned
  }
}
