// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import LocationServices

@Suite("Regions and visits on a track")
struct RegionTests {
  private static let home = CircularRegion(
    center: Location.here.coordinate, radiusMeters: 200, identifier: "home")

  /// Moves to the given distances from home and stays for the given seconds, one fix per second.
  private func go(
    _ driver: inout MachineDriver, _ track: [(meters: Double, seconds: Int)], noise: Double = 0
  ) -> [LocationCallback] {
    var generator = SeededGenerator(seed: 9)
    var calls: [LocationCallback] = []
    for (meters, seconds) in track {
      for _ in 0..<seconds {
        driver.wait(1)
        let off = noise > 0 ? Double.random(in: -noise...noise, using: &generator) : 0
        calls += driver.call(.location(.north(meters + off, accuracyMeters: 5)))
      }
    }
    return calls
  }

  private func monitoring(_ region: CircularRegion = home) -> MachineDriver {
    var driver = MachineDriver(.authorizedAlways)
    _ = driver.call(.startMonitoring(region))
    return driver
  }

  private static let entered: [LocationCallback] = [
    .didEnterRegion(home), .didDetermineState(.inside, home),
  ]
  private static let exited: [LocationCallback] = [
    .didExitRegion(home), .didDetermineState(.outside, home),
  ]

  @Test func `each entry and exit of a region is reported once`() {
    var driver = monitoring()
    #expect(
      go(&driver, [(500, 30), (100, 30), (500, 30), (0, 30)])
        == Self.entered + Self.exited + Self.entered)
  }

  @Test func `a region that contains the board is entered only after it has been left`() {
    var driver = monitoring()
    #expect(go(&driver, [(10, 60)]) == [])
    #expect(driver.call(.requestState(Self.home)) == [.didDetermineState(.inside, Self.home)])
    #expect(go(&driver, [(500, 30), (10, 30)]) == Self.exited + Self.entered)
  }

  @Test(arguments: [195.0, 200, 205, 210, 215])
  func `noise at the border of a region causes no repeated events`(meters: Double) {
    var driver = monitoring()
    #expect(go(&driver, [(500, 30), (meters, 3600)], noise: 10).count <= 2)
    driver = monitoring()
    #expect(go(&driver, [(0, 30), (meters, 3600)], noise: 10).count <= 2)
  }

  @Test func `a start near the border of a region causes no entry, even if the first fix is inaccurate`() {
    var driver = monitoring()
    // The board is beyond the border by less than the position error.
    #expect(go(&driver, [(203, 5)]) == [])
    #expect(driver.machine.monitoringState.regions.state(of: "home") == .unknown)
    #expect(go(&driver, [(195, 30)]) == [])
    #expect(driver.machine.monitoringState.regions.state(of: "home") == .inside)
    // A stay beyond the border confirms the state, like a crossing.
    driver = monitoring()
    #expect(go(&driver, [(203, 30)]) == [])
    #expect(driver.machine.monitoringState.regions.state(of: "home") == .outside)
    #expect(go(&driver, [(150, 30)]) == Self.entered)
    // Beyond the border by more than the error, one location is enough.
    driver = monitoring()
    #expect(go(&driver, [(230, 1), (150, 30)]) == Self.entered)
  }

  @Test func `a large position error at the border of a region causes no repeated events`() {
    var driver = monitoring()
    var calls: [LocationCallback] = []
    for second in 0..<3600 {
      driver.wait(1)
      // The board alternates: a minute inside the radius, a minute outside by less than the error.
      let meters: Double = second / 60 % 2 == 0 ? 100 : 450
      calls += driver.call(.location(.north(meters, accuracyMeters: 300)))
    }
    #expect(calls.count <= 2, "\(calls.count)")
    for _ in 0..<30 {
      driver.wait(1)
      calls += driver.call(.location(.north(520, accuracyMeters: 300)))
    }
    #expect(calls == Self.exited)
  }

  @Test func `a short outlier does not cause an exit from a region`() {
    var driver = monitoring()
    #expect(go(&driver, [(0, 30), (5000, 9), (0, 30)]) == [])
  }

  @Test func `a region without notifyOnEntry reports only exits and states`() {
    var quiet = Self.home
    quiet.notifyOnEntry = false
    var driver = monitoring(quiet)
    #expect(
      go(&driver, [(500, 20), (0, 20), (500, 20)]) == [
        .didDetermineState(.inside, quiet), .didExitRegion(quiet),
        .didDetermineState(.outside, quiet),
      ])
  }

  @Test func `a region replaces the one with its identifier; a 21st region or an invalid radius fails`() {
    var driver = monitoring()
    var larger = Self.home
    larger.radiusMeters = 1000
    _ = go(&driver, [(500, 30)])
    #expect(driver.call(.startMonitoring(larger)) == [.didStartMonitoring(larger)])
    #expect(driver.machine.monitoringState.regions.state(of: "home") == .unknown)
    #expect(go(&driver, [(500, 30)]) == [])
    #expect(driver.machine.monitoringState.regions.state(of: "home") == .inside)
    for number in 2...20 {
      var other = Self.home
      other.identifier = "\(number)"
      #expect(driver.call(.startMonitoring(other)) == [.didStartMonitoring(other)])
    }
    var last = Self.home
    last.identifier = "21"
    #expect(
      driver.call(.startMonitoring(last)) == [.monitoringDidFail(last, .regionMonitoringFailure)])
    #expect(
      driver.call(.stopMonitoring("7"), .startMonitoring(last)) == [.didStartMonitoring(last)])
    for radius in [0, -5, .nan, .infinity, 2e7] {
      last.radiusMeters = radius
      guard
        case .monitoringDidFail(_, .regionMonitoringFailure) =
          driver.call(.startMonitoring(last)).first
      else {
        Issue.record("a radius of \(radius) was accepted")
        continue
      }
    }
  }

  @Test func `monitored regions survive a restart, and only changes since the last report are reported`() throws {
    var driver = monitoring()
    _ = driver.call(.start(.visits))
    _ = go(&driver, [(0, 400)])
    let stored = try JSONEncoder().encode(driver.machine.monitoringState)
    let read = try JSONDecoder().decode(MonitoringState.self, from: stored)
    #expect(read.monitoredRegions == [Self.home])
    var stayed = MachineDriver(.authorizedAlways)
    _ = stayed.machine.restore(read)
    _ = stayed.call(.start(.visits))
    #expect(go(&stayed, [(0, 30)]) == [])
    var moved = MachineDriver(.authorizedAlways)
    _ = moved.machine.restore(read)
    _ = moved.call(.start(.visits))
    let calls = go(&moved, [(5000, 200)])
    #expect(Array(calls.prefix(2)) == Self.exited)
    guard case .didVisit(let visit)? = calls.last, visit.isFinished else {
      Issue.record("\(calls)")
      return
    }
  }

  @Test func `region monitoring pauses under reduced accuracy and resumes under full accuracy`() {
    var driver = monitoring()
    _ = go(&driver, [(500, 30)])
    _ = driver.call(.policy(.decided(.reducedAlways)))
    #expect(go(&driver, [(0, 30)]) == [])
    _ = driver.call(.policy(.decided(.always)))
    #expect(go(&driver, [(0, 30)]) == Self.entered)
  }

  // MARK: Visits and significant changes

  @Test func `a visit is reported at its start and at its end, with its times`() throws {
    var driver = MachineDriver(.authorizedAlways)
    _ = driver.call(.start(.visits))
    var visits: [Visit] = []
    for second in 0..<1800 {
      driver.wait(1)
      // A track, a stay with noise, one outlier, and another track.
      let meters: Double =
        switch second {
        // No two locations are exactly the radius of 100 m apart.
        case 0..<300: Double(300 - second) * 30
        case 900: 3000
        case 300..<1200: Double(second % 7) * 3
        default: Double(second - 1200) * 20
        }
      var location = Location.north(meters)
      location.time = UTCTime(secondsSince1970: Int64(second))
      for case .didVisit(let visit) in driver.call(.location(location)) { visits.append(visit) }
    }
    try #require(visits.count == 2)
    #expect(!visits[0].isFinished && visits[1].isFinished)
    let arrival = try #require(visits[1].arrival), departure = try #require(visits[1].departure)
    #expect((295...300).contains(arrival.secondsSince1970))
    #expect((1195...1210).contains(departure.secondsSince1970))
    #expect(visits[1].coordinate.distanceMeters(to: Location.here.coordinate) < 20)
    #expect(visits[1].radiusMeters <= 150)
  }

  @Test func `a location that is both an update and a significant change is delivered once`() {
    var driver = MachineDriver(.authorizedAlways)
    _ = driver.call(.start(.significantChanges))
    var calls = 0
    for second in 0..<3000 {
      driver.wait(1)
      calls += driver.call(.location(.north(Double(second) * 10))).count
    }
    #expect(calls == 10)
    _ = driver.call(.start(.updates))
    driver.wait(300)
    #expect(driver.call(.location(.north(90_000))).count == 1)
  }

  @Test func `after a restart, significant changes are measured from the last reported location`() throws {
    func at(_ meters: Double, _ second: Int64) -> Location {
      var location = Location.north(meters)
      location.time = UTCTime(secondsSince1970: 1_000_000 + second)
      return location
    }
    var driver = MachineDriver(.authorizedAlways)
    let actions = driver.act(.start(.significantChanges), .location(at(0, 0)))
    #expect(actions.deliversLocation && actions.contains(.monitoringChanged))
    let stored = try JSONEncoder().encode(driver.machine.monitoringState)
    var next = MachineDriver(.authorizedAlways)
    _ = next.machine.restore(try JSONDecoder().decode(MonitoringState.self, from: stored))
    _ = next.call(.start(.significantChanges))
    // Locations at the same point, far but too soon, late but too near, and far enough.
    #expect(next.call(.location(at(0, 100)), .location(at(900, 200))) == [])
    #expect(next.call(.location(at(400, 400))) == [])
    #expect(next.call(.location(at(600, 500))).count == 1)
    // After a stop, the next start reports the first location.
    #expect(next.act(.stop(.significantChanges)).contains(.monitoringChanged))
    #expect(next.machine.monitoringState.significantChange?.hasReference == false)
    #expect(next.call(.start(.significantChanges), .location(at(600, 600))).count == 1)
  }

  @Test func `monitoring files without significant changes can still be read`() throws {
    let state = try JSONEncoder().encode(monitoring().machine.monitoringState)
    let object = try JSONSerialization.jsonObject(with: state)
    var stored = try #require(object as? [String: Any])
    #expect(stored.removeValue(forKey: "significantChange") != nil)
    let read = try JSONDecoder().decode(
      MonitoringState.self, from: JSONSerialization.data(withJSONObject: stored))
    #expect(read.isUsable && read.monitoredRegions == [Self.home])
  }

  @Test func `if the program has enabled pausing, updates pause until the program starts them again`() {
    var driver = MachineDriver(.authorizedAlways)
    driver.set { $0.pausesAutomatically = true }
    _ = driver.call(.start(.updates))
    let rest = go(&driver, [(0, 1000)])
    #expect(rest.last == .didPauseUpdates && rest.count < 1000)
    #expect(go(&driver, [(500, 30)]) == [])
    #expect(driver.call(.start(.updates)) == [.didResumeUpdates])
    #expect(go(&driver, [(500, 1)]).count == 1)
  }

  @Test func `a one-shot request is answered while updates are paused`() {
    var driver = MachineDriver(.authorizedAlways)
    driver.set { $0.pausesAutomatically = true }
    _ = driver.call(.start(.updates))
    #expect(go(&driver, [(0, 1000)]).last == .didPauseUpdates)
    #expect(driver.call(.requestLocation, .location(.here)) == [.didUpdateLocations([.here])])
    #expect(driver.call(.location(.here)) == [])
    #expect(
      driver.call(.requestLocation, .timedOut(.oneShot(2)))
        == [.didFailWithError(.locationUnknown)])
  }

  @Test(arguments: [true, false])
  func `updates also pause for a board that was at rest before their start`(enablesPauseFirst: Bool) {
    var driver = MachineDriver(.authorizedAlways)
    if enablesPauseFirst {
      #expect(go(&driver, [(0, 2000)]) == [])
      driver.set { $0.pausesAutomatically = true }
      _ = driver.call(.start(.updates))
    } else {
      _ = driver.call(.start(.updates))
      #expect(go(&driver, [(0, 2000)]).count == 2000)
      driver.set { $0.pausesAutomatically = true }
    }
    let rest = go(&driver, [(0, 1000)])
    #expect(rest.last == .didPauseUpdates)
    #expect(rest.count == (enablesPauseFirst ? 900 : 0) + 1)
  }
}
