// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import LocationServices
import Positioning
import ReceiverSimulator
import Receivers
import Testing

/// Tests regions, visits and significant changes with a simulated receiver in a moving vehicle,
/// from the receiver's bytes to the delegate.
@Suite("Regions and visits on a simulated track", .timeLimit(.minutes(5)))
struct RegionsOnATrackTests {
  /// A track that consists of moving and stationary parts.
  private struct Ride {
    private var decoder = NMEADecoder(source: "ride", pace: .recorded)
    private(set) var now = UTCTime.noon
    /// The error in the measured distance to a satellite.
    var rangeErrorMeters = 1.2
    private var seed: UInt64 = 1

    init() {}

    /// Drives along a straight road at 20 m/s, from one distance north of home to another, in
    /// metres.
    mutating func drive(_ from: Double, to: Double, _ manager: LocationManager) throws {
      try go([from, to], seconds: Int(abs(to - from) / 20), manager)
    }

    /// Stays on the road at a distance north of home, in metres.
    mutating func stay(_ meters: Double, seconds: Int, _ manager: LocationManager) throws {
      try go([meters], seconds: seconds, manager)
    }

    private mutating func go(_ distances: [Double], seconds: Int, _ manager: LocationManager) throws {
      let points = try distances.map { meters in
        SimulatedRoute.Waypoint(
          coordinate: try #require(
            RegionsOnATrackTests.home.center.destination(
              distanceMeters: abs(meters), bearingDegreesTrue: meters < 0 ? 180 : 0)),
          altitudeMetersAboveSeaLevel: 30)
      }
      var configuration = SimulatedReceiver.Configuration(start: now)
      configuration.route = try #require(SimulatedRoute(waypoints: points))
      configuration.speedMetersPerSecond = 20
      configuration.rangeErrorMeters = rangeErrorMeters
      configuration.seed = seed
      seed += 1
      var receiver = try SimulatedReceiver(configuration)
      for _ in 0..<seconds {
        let bytes = receiver.nextEpoch().bytes
        decoder.decode(bytes.span, receivedAt: nil) { manager.ingest($0) }
      }
      now = UTCTime(secondsSince1970: now.secondsSince1970 + Int64(seconds))
    }
  }

  /// Records the callbacks.
  private final class Listener: LocationManagerDelegate {
    let calls = EventRecorder<String>()
    let visits = EventRecorder<Visit>()

    func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
      calls.record("enter \(region.identifier)")
    }
    func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
      calls.record("exit \(region.identifier)")
    }
    func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {
      calls.record("start \(region.identifier) \(region.radiusMeters)")
    }
    func locationManager(
      _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
      withError error: LocationError
    ) { calls.record("refuse \(region.identifier) \(error.rawValue)") }
    func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
      visits.record(visit)
    }
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      calls.record("location")
    }
  }

  private static let home = CircularRegion(center: .at(51.5, -0.1), radiusMeters: 300, identifier: "home")

  private func manager(_ listener: Listener, storage: (any MonitoringStorage)? = nil) -> LocationManager {
    let manager = LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "Test", storage: storage)
    manager.delegate = listener
    return manager
  }

  @Test func `each crossing of a region's border is reported once, and a start inside is not reported`() async throws {
    let (listener, other) = (Listener(), Listener())
    let manager = manager(listener)
    manager.startMonitoring(for: Self.home)
    var ride = Ride()
    try ride.drive(-1500, to: 1500, manager)
    try ride.drive(1500, to: -1500, manager)
    await manager.waitUntilDelivered()
    #expect(
      listener.calls.events == [
        "start home 300.0", "enter home", "exit home", "enter home", "exit home",
      ])

    let inside = self.manager(other)
    inside.startMonitoring(for: Self.home)
    var second = Ride()
    try second.stay(0, seconds: 300, inside)
    await inside.waitUntilDelivered()
    #expect(other.calls.events == ["start home 300.0"])
    try second.drive(0, to: 1500, inside)
    try second.drive(1500, to: 0, inside)
    await inside.waitUntilDelivered()
    #expect(other.calls.events == ["start home 300.0", "exit home", "enter home"])
  }

  @Test(arguments: [295.0, 300, 305, 312], [1.2, 4])
  func `noise of the receiver at a region's border does not cause repeated entries and exits`(
    meters: Double, rangeError: Double
  ) async throws {
    let listener = Listener()
    let manager = manager(listener)
    manager.startMonitoring(for: Self.home)
    var ride = Ride()
    ride.rangeErrorMeters = rangeError
    try ride.stay(meters, seconds: 1200, manager)
    await manager.waitUntilDelivered()
    #expect(listener.calls.events.count <= 2, "\(listener.calls.events)")
    // The track starts inside the region, so no entry is reported.
    if meters < Self.home.radiusMeters { #expect(listener.calls.events == ["start home 300.0"]) }
  }

  @Test
  func `a region replaces another region with the same identifier, and the 21st region is refused`() async throws {
    let listener = Listener()
    let manager = manager(listener)
    manager.startMonitoring(for: Self.home)
    var ride = Ride()
    try ride.drive(-1500, to: -800, manager)
    var larger = Self.home
    larger.radiusMeters = 600
    manager.startMonitoring(for: larger)
    // The board enters the large region, but is still outside the small region.
    try ride.drive(-800, to: -340, manager)
    await manager.waitUntilDelivered()
    #expect(listener.calls.events == ["start home 300.0", "start home 600.0", "enter home"])
    #expect(manager.monitoredRegions == [larger])
    for number in 2...21 {
      var other = Self.home
      other.identifier = "\(number)"
      manager.startMonitoring(for: other)
    }
    await manager.waitUntilDelivered()
    #expect(listener.calls.events.last == "refuse 21 5")
    #expect(manager.monitoredRegions.count == 20)
  }

  @Test func `regions and visits are restored from files after a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let storage = { MonitoringFile(folder: folder) { Issue.record("\($0)") } }
    var ride = Ride()
    let (before, after, later) = (Listener(), Listener(), Listener())
    do {
      let file = storage()
      let manager = manager(before, storage: file)
      manager.startMonitoring(for: Self.home)
      manager.startMonitoringVisits()
      try ride.drive(-1500, to: 0, manager)
      try ride.stay(0, seconds: 600, manager)
      await manager.waitUntilDelivered()
      await file.flush()
    }
    #expect(before.calls.events == ["start home 300.0", "enter home"])
    #expect(before.visits.events.map(\.isFinished) == [false])
    do {
      let file = storage()
      let manager = manager(after, storage: file)
      #expect(manager.monitoredRegions == [Self.home])
      manager.startMonitoringVisits()
      try ride.stay(0, seconds: 60, manager)
      await manager.waitUntilDelivered()
      // Nothing has changed, so nothing is reported.
      #expect(after.calls.events == [] && after.visits.events == [])
      try ride.drive(0, to: 6000, manager)
      await manager.waitUntilDelivered()
      await file.flush()
    }
    #expect(after.calls.events == ["exit home"])
    let visit = try #require(after.visits.events.first)
    #expect(after.visits.events.count == 1 && visit.isFinished)
    #expect(visit.arrival == before.visits.events.first?.arrival)
    let file = storage()
    let manager = manager(later, storage: file)
    try ride.drive(6000, to: 0, manager)
    await manager.waitUntilDelivered()
    // Wait until the file is written, because the test deletes the folder.
    await file.flush()
    #expect(later.calls.events == ["enter home"])
  }

  @Test
  func `a visit has an arrival and a departure in the receiver's time, and driving is not a visit`() async throws {
    let listener = Listener()
    let manager = manager(listener)
    manager.startMonitoringVisits()
    var ride = Ride()
    try ride.drive(-3000, to: 0, manager)
    let arrival = ride.now
    try ride.stay(0, seconds: 900, manager)
    let departure = ride.now
    try ride.drive(0, to: 6000, manager)
    await manager.waitUntilDelivered()
    let visits = listener.visits.events
    try #require(visits.map(\.isFinished) == [false, true])
    let visit = visits[1]
    let reportedArrival = try #require(visit.arrival)
    let reportedDeparture = try #require(visit.departure)
    #expect(abs(reportedArrival.secondsSince1970 - arrival.secondsSince1970) <= 10)
    #expect(abs(reportedDeparture.secondsSince1970 - departure.secondsSince1970) <= 10)
    #expect(visit.coordinate.distanceMeters(to: Self.home.center) < 20)
    #expect(visit.radiusMeters < 150)
  }

  @Test func `significant location changes are rare while the board moves, and none occur at rest`() async throws {
    let listener = Listener()
    let manager = manager(listener)
    manager.startMonitoringSignificantLocationChanges()
    var ride = Ride()
    try ride.stay(0, seconds: 1200, manager)
    await manager.waitUntilDelivered()
    #expect(listener.calls.events == ["location"])
    // Twenty minutes at 20 m/s: the first change at 500 m, and another change every five minutes.
    try ride.drive(0, to: 24_000, manager)
    await manager.waitUntilDelivered()
    #expect(listener.calls.events.count == 5, "\(listener.calls.events.count)")
  }
}
