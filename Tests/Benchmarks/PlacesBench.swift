// SPDX-License-Identifier: Apache-2.0

import FixcastTestSupport
import Glibc
import Positioning
import WeatherClient
import WeatherClientLive

/// Measures lookups of the best place and of the five nearest places for random points; half of the points are near a city.
///
/// Each lookup is measured three times, and the shortest time is used.
enum PlacesBench {
  private static let cities = [
    (40.68, -73.95), (51.5, -0.12), (35.68, 139.75), (52.52, 13.4), (-23.55, -46.63),
    (23.13, 113.26), (48.85, 2.35), (28.61, 77.2),
  ]

  static func run(queries: Int) {
    var random = SeededGenerator(seed: 1)
    let points = (0..<queries).compactMap { number in
      let city = cities[number / 2 % cities.count]
      let cityWeight = number % 2 == 0 ? 0.0 : 1.0
      let latitude = asin(Double.random(in: -1...1, using: &random)) * 180 / .pi
      let longitude = Double.random(in: -180...180, using: &random)
      return Coordinate(
        latitudeDegrees: city.0 * cityWeight + latitude * (1 - cityWeight * 0.997),
        longitudeDegrees: city.1 * cityWeight + longitude * (1 - cityWeight * 0.997))
    }
    measure("best place", points) { Gazetteer.geoNames.nearest(to: $0)?.distanceMeters ?? 0 }
    measure("5 nearest places", points) {
      Gazetteer.geoNames.nearest(5, to: $0).reduce(0) { $0 + ($1.distanceMeters ?? 0) }
    }
  }

  private static func measure(_ name: String, _ points: [Coordinate], _ search: (Coordinate) -> Double) {
    var microseconds: [Double] = []
    var meters = 0.0
    for point in points {
      let seconds = Stopwatch.fastestSeconds(of: 3) { meters += search(point) }
      microseconds.append(seconds * 1e6)
    }
    microseconds.sort()
    guard let slowest = microseconds.last else { return }
    print(
      "\(name) for \(points.count) points, of \(Gazetteer.geoNames.count) places:",
      "\(Stopwatch.rounded(microseconds[microseconds.count / 2])) us median,",
      "\(Stopwatch.rounded(microseconds[microseconds.count * 99 / 100])) us at the 99th",
      "percentile, \(Stopwatch.rounded(slowest)) us at most; checked sum \(meters)")
  }
}
