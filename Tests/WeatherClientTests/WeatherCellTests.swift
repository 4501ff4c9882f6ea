// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@Suite("Weather cells")
struct WeatherCellTests {
  @Test(
    arguments: [
      (51.507351, -0.127758, 2, "51.51", "-0.13"), (5.05, -0.5, 2, "5.05", "-0.5"),
      (-0.004, 0.004, 2, "0", "0"), (-0.006, 10, 2, "-0.01", "10"),
      (51.507351, -0.127758, 4, "51.5074", "-0.1278"), (51.5, -0.6, 0, "52", "-1"),
      (1.05, 2.001, 3, "1.05", "2.001"), (-12.345, 100.005, 1, "-12.3", "100"),
    ] as [(Double, Double, Int, String, String)])
  func `the centre of a weather cell is on the grid, and its text has no trailing zeros`(
    latitude: Double, longitude: Double, decimals: Int, north: String, east: String
  ) {
    let cell = WeatherCell(.at(latitude, longitude), decimals: decimals)
    #expect(cell.latitudeText == north)
    #expect(cell.longitudeText == east)
  }

  @Test func `all longitudes at a pole belong to the same cell, as do the longitudes 180 and -180`() {
    #expect(WeatherCell(.at(90, 10)) == WeatherCell(.at(89.999, -77)))
    #expect(WeatherCell(.at(-90, 10)) != WeatherCell(.at(90, 10)))
    #expect(WeatherCell(.at(1, -180)) == WeatherCell(.at(1, 180)))
    #expect(WeatherCell(.at(1, -179.999)) == WeatherCell(.at(1, 179.999)))
    #expect(WeatherCell(.at(1, -179.999)).coordinate == .at(1, 180))
  }

  @Test(arguments: [(9, 4), (-3, 0)])
  func `the number of decimals of a cell is clamped to 0...4`(requested: Int, used: Int) {
    #expect(WeatherCell(.at(1, 2), decimals: requested).decimals == used)
  }

  @Test func `for 10,000 random coordinates, the cell contains the coordinate and the cell's centre`() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<10_000 {
      let coordinate = Coordinate.at(
        Double.random(in: -90...90, using: &generator),
        Double.random(in: -180...180, using: &generator))
      let decimals = Int.random(in: 0...4, using: &generator)
      let cell = WeatherCell(coordinate, decimals: decimals)
      let centre = try #require(cell.coordinate)
      let half = 0.5 / pow(10, Double(decimals)) + 1e-9
      #expect(abs(centre.latitudeDegrees - coordinate.latitudeDegrees) <= half)
      if abs(centre.latitudeDegrees) < 90 {
        let difference = abs(centre.longitudeDegrees - coordinate.longitudeDegrees)
        #expect(min(difference, 360 - difference) <= half)
      }
      #expect(WeatherCell(centre, decimals: decimals) == cell)
      #expect(Double(cell.latitudeText) == centre.latitudeDegrees)
      #expect(Double(cell.longitudeText) == centre.longitudeDegrees)
      #expect(cell.latitudeText.drop { $0 != "." }.count <= decimals + 1)
    }
  }
}
