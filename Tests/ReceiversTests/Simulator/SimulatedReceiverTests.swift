// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import ReceiverSimulator
@testable import Receivers

/// The output of the simulator: format, consistency, accuracy and repeatability.
@Suite struct SimulatedReceiverTests {
  /// 2026-11-21T23:59:30Z, shortly before midnight.
  private static let start = UTCTime(secondsSince1970: 1_795_305_570)

  private func receiver(
    _ change: (inout SimulatedReceiver.Configuration) -> Void = { _ in }
  ) throws -> SimulatedReceiver {
    var configuration = SimulatedReceiver.Configuration(start: Self.start)
    change(&configuration)
    return try SimulatedReceiver(configuration)
  }

  @Test func `simulated satellites cross the sky without jumps, even at the start of a new orbit`() {
    let sky = SimulatedSky(phaseRadians: 0)
    var (last, largestStep) = ([SatelliteID: Double](), 0.0)
    for minute in 0..<Int64(48 * 60) {
      var present: [SatelliteID: Double] = [:]
      for satellite in sky.satellites(at: UTCTime(secondsSince1970: minute * 60)) {
        present[satellite.id] = satellite.azimuthDegrees
        guard let before = last[satellite.id] else { continue }
        let step = abs(satellite.azimuthDegrees - before)
        largestStep = max(largestStep, min(step, 360 - step))
      }
      last = present
    }
    #expect(0.1...1 ~= largestStep)
  }

  @Test func `simulated receivers with equal seeds send equal bytes, and with other seeds other bytes`() throws {
    var (a, b) = (try receiver(), try receiver())
    var other = try receiver { $0.seed = 2 }
    for _ in 0..<50 {
      let bytes = a.nextEpoch().bytes
      #expect(bytes == b.nextEpoch().bytes)
      #expect(bytes != other.nextEpoch().bytes)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 8, 10, 25])
  func `every simulated epoch has well-formed sentences; GSV, ZDA and TXT are sent once a second`(rate: Int) throws {
    var receiver = try receiver { $0.rateHertz = rate }
    for index in 0..<(rate * 40) {
      let sentences = SentenceFields.split(receiver.nextEpoch().bytes)
      let kinds = Set(sentences.map { String($0.address.suffix(3)) })
      let isWholeSecond = index % rate == 0
      #expect(kinds.isSuperset(of: ["GNS", "GGA", "GSA", "VTG", "GST", "GBS", "GLL", "RMC"]))
      #expect(kinds.contains("GSV") == isWholeSecond)
      #expect(kinds.contains("ZDA") == isWholeSecond)
      #expect(kinds.contains("TXT") == isWholeSecond)
    }
  }

  @Test func `the first sentence of a simulated receiver announces the simulation`() throws {
    var receiver = try receiver()
    let first = try #require(SentenceFields.split(receiver.nextEpoch().bytes).first)
    #expect(first.fields == ["GNTXT", "01", "01", "02", "FIXCAST SIMULATED RECEIVER"])
  }

  @Test func `the sentences of a simulated epoch agree in time, position, speed and satellite count`() throws {
    var receiver = try receiver { $0.rateHertz = 5 }
    for _ in 0..<1000 {
      let epoch = receiver.nextEpoch()
      let sentences = SentenceFields.split(epoch.bytes)
      let by = Dictionary(grouping: sentences) { String($0.address.suffix(3)) }
      let gga = try #require(by["GGA"]?.first)
      let rmc = try #require(by["RMC"]?.first)
      let gns = try #require(by["GNS"]?.first)
      let gll = try #require(by["GLL"]?.first)
      let vtg = try #require(by["VTG"]?.first)
      #expect(rmc.fields[3...6] == gns.fields[2...5])
      #expect(Array(gga.fields[2...5]) == Array(rmc.fields[3...6]))
      #expect(Array(gll.fields[1...4]) == Array(rmc.fields[3...6]))
      for time in [gga.fields[1], gns.fields[1], gll.fields[5]] { #expect(time == rmc.fields[1]) }
      #expect(vtg.fields[1] == rmc.fields[8])
      #expect(vtg.fields[5] == rmc.fields[7])
      #expect(gga.fields[9] == gns.fields[9])

      let gsa = try #require(by["GSA"])
      let used = gsa.reduce(0) { $0 + $1.fields[3...14].count { !$0.isEmpty } }
      #expect(used == epoch.satellitesUsed)
      #expect(Int(gga.fields[7]) == used)
      #expect(Int(gns.fields[7]) == used)
      #expect(gsa.allSatisfy { $0.fields[16] == gga.fields[8] })
      #expect(gsa.map { $0.fields[18] } == ["1", "2", "3"])

      if let gsv = by["GSV"] {
        let firsts = gsv.filter { $0.fields[2] == "1" }
        #expect(firsts.map(\.address) == ["GPGSV", "GLGSV", "GAGSV"])
        #expect(firsts.reduce(0) { $0 + (Int($1.fields[3]) ?? 0) } == epoch.satellitesInView)
        for sentence in gsv { #expect((sentence.fields.count - 5) % 4 == 0) }
      }
    }
  }

  @Test(arguments: [1, 10])
  func `the positions and speeds of a simulated receiver are within their error bounds`(rate: Int) throws {
    var receiver = try receiver { $0.rateHertz = rate }
    var worst = 0.0
    for _ in 0..<2000 {
      let epoch = receiver.nextEpoch()
      let rmc = try #require(
        SentenceFields.split(epoch.bytes).first { $0.address == "GNRMC" })
      let reported = try #require(rmc.coordinate(at: 3))
      let error = reported.distanceMeters(to: epoch.coordinate)
      worst = max(worst, error)
      #expect(error <= epoch.horizontalErrorBoundMeters + 0.02)
      #expect(epoch.horizontalErrorBoundMeters < 10)
      let speed = try #require(rmc.number(7)) * 1852 / 3600
      #expect(abs(speed - epoch.speedMetersPerSecond) < 0.08)
      #expect(epoch.speedMetersPerSecond <= 10.001)
    }
    #expect(worst > 0.2, "the positions must have noise")
  }

  @Test(.oneAtATime)
  func `the simulated movement matches speed and course, and turns without jumps`() throws {
    var receiver = try receiver { $0.rateHertz = 25 }
    var last = receiver.nextEpoch()
    for _ in 0..<(25 * 700) {
      let next = receiver.nextEpoch()
      let moved = last.coordinate.distanceMeters(to: next.coordinate)
      let mean = (last.speedMetersPerSecond + next.speedMetersPerSecond) / 2
      #expect(abs(moved * 25 - mean) < 0.05)
      if let a = last.courseDegreesTrue, let b = next.courseDegreesTrue {
        #expect(abs((b - a).remainder(dividingBy: 360)) < 4)
        let bearing = try #require(
          last.coordinate.initialBearingDegreesTrue(to: next.coordinate))
        #expect(abs((bearing - a).remainder(dividingBy: 360)) < 4)
      }
      let climbed = next.altitudeMetersAboveSeaLevel - last.altitudeMetersAboveSeaLevel
      #expect(abs(climbed * 25 - next.climbMetersPerSecond) < 0.1)
      last = next
    }
  }

  @Test(.oneAtATime)
  func `15 to 36 simulated satellites are in view, and the satellites rise and set`() throws {
    var receiver = try receiver()
    var views: Set<String> = []
    for index in 0..<(6 * 3600) {
      let epoch = receiver.nextEpoch()
      guard index % 600 == 0 else { continue }
      #expect((15...36).contains(epoch.satellitesInView))
      #expect((10...36).contains(epoch.satellitesUsed))
      let gsv = SentenceFields.split(epoch.bytes).filter { $0.address == "GPGSV" }
      let numbers = gsv.flatMap { sentence in
        stride(from: 4, to: sentence.fields.count - 1, by: 4).map { sentence.fields[$0] }
      }
      views.insert(numbers.joined(separator: " "))
    }
    #expect(views.count > 10)
  }

  @Test func `the date of the simulated sentences changes at midnight`() throws {
    var receiver = try receiver()
    var dates: [String] = []
    for index in 0..<60 {
      let epoch = receiver.nextEpoch()
      #expect(epoch.time.secondsSince1970 == Self.start.secondsSince1970 + Int64(index))
      let rmc = try #require(SentenceFields.split(epoch.bytes).first { $0.address == "GNRMC" })
      if dates.last != rmc.fields[9] { dates.append(rmc.fields[9]) }
    }
    #expect(dates == ["211126", "221126"])
  }

  @Test func `invalid configurations of the simulator are rejected`() {
    #expect(throws: SimulationError.rate(0)) { try receiver { $0.rateHertz = 0 } }
    #expect(throws: SimulationError.rate(26)) { try receiver { $0.rateHertz = 26 } }
    #expect(throws: SimulationError.speed(-1)) { try receiver { $0.speedMetersPerSecond = -1 } }
    #expect(throws: SimulationError.self) { try receiver { $0.speedMetersPerSecond = .nan } }
    #expect(throws: SimulationError.noPosition) { try receiver { $0.sentences = [.gsv] } }
    #expect(throws: SimulationError.start(0)) {
      try receiver { $0.start = UTCTime(secondsSince1970: 0) }
    }
  }

  @Test(arguments: [(89.99, 0.0), (-90, 0), (0, 180), (90, 12), (-0.001, -179.999), (64, -180)])
  func `a simulated route can be anywhere on Earth, even at the poles and the antimeridian`(
    latitude: Double, longitude: Double
  ) throws {
    let center = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
    let points = stride(from: 0.0, to: 360, by: 60).compactMap {
      center.destination(distanceMeters: 2000, bearingDegreesTrue: $0)
    }
    let route = try #require(
      SimulatedRoute(waypoints: points.map { SimulatedRoute.Waypoint(coordinate: $0) }))
    var receiver = try receiver {
      $0.route = route
      $0.speedMetersPerSecond = 80
    }
    for _ in 0..<300 {
      let epoch = receiver.nextEpoch()
      #expect(!SentenceFields.split(epoch.bytes).isEmpty)
      #expect((1500...2100).contains(epoch.coordinate.distanceMeters(to: center)))
    }
  }

  @Test func `a route with a single point simulates a stationary receiver without a course`() throws {
    let here = try #require(Coordinate(latitudeDegrees: -33.9, longitudeDegrees: 18.4))
    let route = try #require(SimulatedRoute(waypoints: [.init(coordinate: here)]))
    var receiver = try receiver { $0.route = route }
    for _ in 0..<20 {
      let epoch = receiver.nextEpoch()
      #expect(epoch.coordinate.distanceMeters(to: here) < 1e-6)
      #expect(epoch.speedMetersPerSecond == 0)
      let rmc = try #require(SentenceFields.split(epoch.bytes).first { $0.address == "GNRMC" })
      #expect(rmc.fields[8].isEmpty)
    }
  }
}
