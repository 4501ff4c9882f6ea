// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The three heights of a fix, from several sentences of one epoch.
@Suite struct HeightTests {
  private func merged(_ bodies: [String]) -> Fix? {
    var fixture = DecoderFixture()
    fixture.send(bodies)
    fixture.finish()
    return fixture.fixes.count == 1 ? fixture.fixes.first : nil
  }

  private func gga(_ altitude: String, _ separation: String) -> String {
    "GPGGA,120000.00,5130.0000,N,00006.0000,W,1,09,0.92,\(altitude),M,\(separation),M,,"
  }

  private func pubx(_ ellipsoid: String) -> String {
    "PUBX,00,120000.00,5130.0000,N,00006.0000,W,\(ellipsoid),G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0"
  }

  private func gns(_ altitude: String, _ separation: String) -> String {
    "GNGNS,120000.00,5130.0000,N,00006.0000,W,AA,09,0.92,\(altitude),\(separation),,"
  }

  @Test(arguments: [("10.2", "-35.3", "0.000", -25.1), ("-0.4", "0.0", "0.000", -0.4)])
  func `a height above the ellipsoid that contradicts GGA is replaced by the sum of GGA's heights`(
    altitude: String, separation: String, ellipsoid: String, expected: Double
  ) throws {
    for order in [
      [gga(altitude, separation), pubx(ellipsoid)], [pubx(ellipsoid), gga(altitude, separation)],
    ] {
      let fix = try #require(merged(order))
      #expect(abs((fix.altitudeMetersAboveEllipsoid ?? .nan) - expected) < 1e-9, "\(order)")
      #expect(fix.altitudeMetersAboveSeaLevel == Double(altitude))
      #expect(fix.geoidSeparationMeters == Double(separation))
    }
  }

  @Test func `a height above the ellipsoid that contradicts GNS is replaced if there is no GGA`() throws {
    for order in [[gns("10.2", "-35.3"), pubx("0.000")], [pubx("0.000"), gns("10.2", "-35.3")]] {
      let fix = try #require(merged(order))
      #expect(abs((fix.altitudeMetersAboveEllipsoid ?? .nan) + 25.1) < 1e-9, "\(order)")
      #expect(fix.altitudeMetersAboveSeaLevel == 10.2 && fix.geoidSeparationMeters == -35.3)
    }
  }

  @Test func `a height above the ellipsoid that agrees with whole metres of GGA is kept`() throws {
    let fix = try #require(merged([gga("10", "-35"), pubx("-25.4")]))
    #expect(fix.altitudeMetersAboveEllipsoid == -25.4)
    let other = try #require(merged([gga("10", "-35"), pubx("0.000")]))
    #expect(other.altitudeMetersAboveEllipsoid == -25)
  }

  @Test func `a height above the ellipsoid that agrees with GGA up to rounding is kept`() throws {
    let fix = try #require(merged([gga("499.6", "48.0"), pubx("547.689")]))
    #expect(fix.altitudeMetersAboveEllipsoid == 547.689)
    #expect(fix.altitudeMetersAboveSeaLevel == 499.6)
  }

  @Test func `a height above the ellipsoid is kept if GGA has no geoid separation`() throws {
    let fix = try #require(merged([gga("10.2", ""), pubx("0.000")]))
    #expect(fix.altitudeMetersAboveEllipsoid == 0)
    #expect(fix.geoidSeparationMeters == nil)
  }

  @Test func `the heights of GGA have priority over the heights of GNS, in either order`() throws {
    for order in [
      [gga("10.2", "-35.3"), gns("11", "-30")], [gns("11", "-30"), gga("10.2", "-35.3")],
    ] {
      let fix = try #require(merged(order))
      #expect(fix.altitudeMetersAboveSeaLevel == 10.2)
      #expect(fix.geoidSeparationMeters == -35.3)
      #expect(abs((fix.altitudeMetersAboveEllipsoid ?? .nan) + 25.1) < 1e-9)
    }
  }
}
