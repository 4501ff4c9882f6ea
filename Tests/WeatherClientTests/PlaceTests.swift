// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@Suite("Title of a place")
struct PlaceTests {
  @Test(
    arguments: [
      (nil, nil, "Horta"), (25_000, 10, "Horta"), (25_001, nil, "25 km from Horta"),
      (623_400, 247.4, "623 km WSW of Horta"), (623_600, 348.75, "624 km N of Horta"),
      (30_000, 360, "30 km N of Horta"), (30_000, 11.2, "30 km N of Horta"),
      (30_000, 11.3, "30 km NNE of Horta"), (30_000, .nan, "30 km from Horta"),
      (.infinity, -1, "1000000 km from Horta"), (.nan, 3, "Horta"),
    ] as [(Double?, Double?, String)])
  func `the relative title of a place beyond 25 km contains distance and direction`(
    distance: Double?, bearing: Double?, title: String
  ) {
    var place = Place(id: 1, title: "Horta", coordinate: .at(38.5, -28.6))
    place.distanceMeters = distance
    place.bearingDegreesTrue = bearing
    #expect(place.relativeTitle == title)
  }
}
