// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import SystemSupport
import Testing

/// Tests of geodesics on the ellipsoid with reference values and for consistency.
@Suite struct CoordinateGeodesyTests {
  /// The distance below which Vincenty's method converges; the tolerance is then 1 m per 1,000 km.
  private let farMeters = 19_900_000.0

  private func tolerance(_ meters: Double) -> Double { max(1e-5, meters * 1e-6) }

  @Test(arguments: inverses)
  func `distance and bearing agree with GeographicLib`(_ reference: Inverse) throws {
    let (start, end) = (try coordinate(reference.start), try coordinate(reference.end))
    let meters = start.distanceMeters(to: end)
    let bearing = start.initialBearingDegreesTrue(to: end)
    guard let expected = reference.bearing else {
      #expect(meters == 0 && bearing == nil)
      return
    }
    let actual = try #require(bearing)
    #expect((0..<360).contains(actual))
    guard reference.meters < farMeters else {
      #expect(abs(meters - reference.meters) < reference.meters * 0.005, "\(meters)")
      return
    }
    #expect(abs(meters - reference.meters) < tolerance(reference.meters), "\(meters)")
    #expect(
      abs((actual - expected).remainder(dividingBy: 360)) < 5e-5, "\(actual) is not \(expected)")
  }

  @Test(arguments: directs)
  func `the destination agrees with GeographicLib`(_ reference: Direct) throws {
    let start = try coordinate(reference.start)
    let end = try #require(
      start.destination(
        distanceMeters: reference.meters, bearingDegreesTrue: reference.bearing))
    let limit = tolerance(abs(reference.meters))
    #expect(try end.distanceMeters(to: coordinate(reference.end)) < limit)
    #expect(abs(end.latitudeDegrees - reference.end.0) < limit / 110_000)
  }

  @Test func `there is no bearing from a coordinate to itself`() throws {
    for (a, b) in [((51.5, -0.12), (51.5, -0.12)), ((90, 10), (90, -77)), ((0, 180), (0, -180))] {
      let (start, end) = (try coordinate(a), try coordinate(b))
      #expect(start.distanceMeters(to: end) == 0)
      #expect(start.initialBearingDegreesTrue(to: end) == nil)
    }
  }

  @Test func `there is no destination for a distance or bearing that is not finite`() throws {
    let start = try coordinate((10, 10))
    for bad in [Double.nan, .infinity, -.infinity] {
      #expect(start.destination(distanceMeters: bad, bearingDegreesTrue: 0) == nil)
      #expect(start.destination(distanceMeters: 1, bearingDegreesTrue: bad) == nil)
    }
    for huge in [Double.greatestFiniteMagnitude, -1e300, 1e17] {
      #expect(start.destination(distanceMeters: huge, bearingDegreesTrue: 33) != nil)
      #expect(start.destination(distanceMeters: 1000, bearingDegreesTrue: huge) != nil)
    }
  }

  @Test func `distances are symmetric and satisfy the triangle inequality`() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<RandomInputs.count(20_000) {
      let (a, b, c) = (
        try anywhere(&random), try anywhere(&random), try anywhere(&random)
      )
      let (ab, ba) = (a.distanceMeters(to: b), b.distanceMeters(to: a))
      #expect((0...20_003_931.5).contains(ab), "\(a) \(b)")
      let limit = max(ab, ba) < farMeters ? tolerance(ab) : 100_000
      #expect(abs(ab - ba) < limit, "\(a) \(b)")
      #expect(
        ab <= a.distanceMeters(to: c) + c.distanceMeters(to: b) + max(limit, 1),
        "\(a) \(b) \(c)")
    }
  }

  @Test func `the distance and bearing to a coordinate lead to that coordinate`() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<RandomInputs.count(20_000) {
      let (a, b) = (try anywhere(&random), try anywhere(&random))
      let meters = a.distanceMeters(to: b)
      guard meters < farMeters, let bearing = a.initialBearingDegreesTrue(to: b) else { continue }
      let end = try #require(a.destination(distanceMeters: meters, bearingDegreesTrue: bearing))
      #expect(end.distanceMeters(to: b) < tolerance(meters), "\(a) \(b)")
    }
  }

  @Test func `the distance to a destination is the given distance`() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<RandomInputs.count(20_000) {
      let a = try anywhere(&random)
      // Powers of two from a millimetre to 8,600 km.
      let distance =
        0.001
        * Double(sign: .plus, exponent: Int.random(in: 0...33, using: &random), significand: 1)
      let bearing = 360 * random.unitInterval()
      let b = try #require(a.destination(distanceMeters: distance, bearingDegreesTrue: bearing))
      #expect(
        abs(a.distanceMeters(to: b) - distance) < tolerance(distance),
        "\(a) \(distance) \(bearing)")
    }
  }

  @Test func `distances near the antipode are finite and accurate to half a percent`() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<RandomInputs.count(20_000) {
      let a = try anywhere(&random)
      let scale = Double(
        sign: .plus, exponent: -Int.random(in: 0...50, using: &random), significand: 1)
      let latitude = -a.latitudeDegrees + scale * (random.unitInterval() - 0.5)
      let longitude = (a.longitudeDegrees + 180 + scale * (random.unitInterval() - 0.5))
        .remainder(dividingBy: 360)
      guard let b = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
        continue
      }
      #expect((19_900_000...20_003_931.5).contains(a.distanceMeters(to: b)), "\(a) \(b)")
      let bearing = try #require(a.initialBearingDegreesTrue(to: b))
      #expect((0..<360).contains(bearing), "\(a) \(b)")
    }
  }

  private func coordinate(_ degrees: (Double, Double)) throws -> Coordinate {
    try #require(Coordinate(latitudeDegrees: degrees.0, longitudeDegrees: degrees.1))
  }

  /// Returns a random coordinate; one value in four is special, such as a pole.
  private func anywhere(_ random: inout SplitMix64) throws -> Coordinate {
    var latitude = 180 * random.unitInterval() - 90
    var longitude = 360 * random.unitInterval() - 180
    if random.next() % 4 == 0 {
      let corners = [-90, -89.999999, -1e-9, 0, 1e-9, 45, 90, latitude.rounded()]
      latitude = corners.randomElement(using: &random) ?? 0
    }
    if random.next() % 4 == 0 {
      let corners = [-180, -179.999999, -90, -1e-9, 0, 90, 180, longitude.rounded()]
      longitude = corners.randomElement(using: &random) ?? 0
    }
    return try coordinate((latitude, longitude))
  }
}
