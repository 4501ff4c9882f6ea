// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import Testing

@Suite("Location")
struct LocationTests {
  @Test("is never made of a fix without a position")
  func nothingInvented() throws {
    #expect(Location(Fix(mode: .none)) == nil)
    #expect(Location(Fix(mode: .threeDimensional)) == nil)
    var stale = Fix(mode: .none)
    stale.coordinate = Coordinate(latitudeDegrees: 1, longitudeDegrees: 2)
    #expect(Location(stale) == nil)
  }

  @Test("keeps what the fix says and knows nothing else")
  func keeps() throws {
    var fix = Fix(mode: .twoDimensional)
    fix.coordinate = Coordinate(latitudeDegrees: 51.5, longitudeDegrees: -0.1)
    fix.speedMetersPerSecond = 3
    fix.isSimulated = true
    fix.isDateCorrected = true
    let location = try #require(Location(fix))
    #expect(location.coordinate == fix.coordinate)
    #expect(location.speedMetersPerSecond == 3)
    #expect(location.isSimulated && location.isDateCorrected)
    #expect(location.altitudeMetersAboveSeaLevel == nil)
    #expect(location.horizontalAccuracy == nil)
    #expect(location.time == nil)
  }
}
