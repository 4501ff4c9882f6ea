// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Testing

@Suite("Location")
struct LocationTests {
  @Test func `no location is created from a fix without a position`() throws {
    #expect(Location(Fix(mode: .none)) == nil)
    #expect(Location(Fix(mode: .threeDimensional)) == nil)
    #expect(Location(Fix.at(1, 2, mode: .none)) == nil)
  }

  @Test func `a location has exactly the values of its fix`() throws {
    let fix = Fix.at(51.5, -0.1, mode: .twoDimensional) {
      ($0.speedMetersPerSecond, $0.isSimulated, $0.isDateCorrected) = (3, true, true)
    }
    let location = try #require(Location(fix))
    #expect(location.coordinate == fix.coordinate)
    #expect(location.speedMetersPerSecond == 3)
    #expect(location.isSimulated && location.isDateCorrected)
    #expect(location.altitudeMetersAboveSeaLevel == nil)
    #expect(location.horizontalAccuracy == nil)
    #expect(location.time == nil)
    #expect(location.speedAccuracyMetersPerSecond == nil)
    #expect(location.courseAccuracyDegrees == nil)
  }

  @Test func `the accuracies of speed and course are converted to 68 % confidence`() throws {
    var fix = Fix.at(51.5, -0.1, mode: .twoDimensional)
    fix.speedAccuracyMetersPerSecond = 1
    fix.courseAccuracyDegrees = 10
    let location = try #require(Location(fix))
    // With a normal distribution, 68 % is 0.9945 and 95 % is 1.96 standard deviations.
    let speed = try #require(location.speedAccuracyMetersPerSecond)
    let course = try #require(location.courseAccuracyDegrees)
    #expect(abs(speed - 0.5074) < 0.0005 && abs(course - 5.074) < 0.005)
    fix.speedAccuracyMetersPerSecond = -1
    fix.courseAccuracyDegrees = .nan
    let invalid = try #require(Location(fix))
    #expect(invalid.speedAccuracyMetersPerSecond == nil && invalid.courseAccuracyDegrees == nil)
  }
}
