// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Reduced accuracy")
struct ReducedAccuracyTests {
  private typealias Grid = ReducedAccuracyGrid

  @Test func `reduced-accuracy cells are about five kilometres wide everywhere and contain their center`() throws {
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      let coordinate = Coordinate.at(
        .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator))
      let cell = Grid.cell(of: coordinate)
      let center = try #require(Grid.center(of: cell))
      #expect(Grid.cell(of: center) == cell)
      #expect(center.distanceMeters(to: coordinate) <= Grid.reachMeters(cell))
      if abs(coordinate.latitudeDegrees) < 85 {
        #expect((3900...5000).contains(Grid.reachMeters(cell)))
      }
    }
  }

  @Test func `coordinates on both sides of the 180th meridian share a cell`() {
    for latitude in [-90.0, 90, 0] {
      #expect(Grid.cell(of: .at(latitude, 180)) == Grid.cell(of: .at(latitude, -180)))
    }
    #expect(Grid.cell(of: .at(90, 0)).band == 3599)
  }

  @Test func `a board at a cell border keeps its cell`() {
    var generator = SeededGenerator(seed: 3)
    var grid = Grid()
    let cells = (0..<1000).map { _ in
      grid.snap(.at(51.5 + .random(in: -0.004...0.004, using: &generator), 0.03))
    }
    #expect(Set(cells).count == 1)
    #expect(grid.snap(.at(51.45, 0.03)) != cells[0] || grid.snap(.at(51.55, 0.03)) != cells[0])
  }

  @Test func `a reduced location has no motion, height or sky data, and a time rounded to 15 min`() throws {
    var location = Location.at(51.512345, -0.123456, time: UTCTime(secondsSince1970: 1_000_000_123, nanosecond: 5))
    location.mode = .threeDimensional
    location.altitudeMetersAboveSeaLevel = 35
    location.altitudeMetersAboveEllipsoid = 80
    location.geoidSeparationMeters = 45
    location.speedMetersPerSecond = 4
    location.speedAccuracyMetersPerSecond = 1
    location.courseDegreesTrue = 20
    location.courseAccuracyDegrees = 2
    location.climbMetersPerSecond = 1
    location.magneticVariationDegrees = 1
    location.dilution.horizontal = 0.9
    location.satellitesUsed = 12
    location.status = .rtkFixed
    location.correctionAgeSeconds = 1
    location.verticalAccuracy = Accuracy(meters: 1, confidencePercent: 95, basis: .receiver)
    location.horizontalAccuracy = Accuracy(meters: 1, confidencePercent: 95, basis: .receiver)
    location.source = "ttyACM0"
    location.isSimulated = true
    location.isReplayed = true
    location.recordedAt = MonotonicTime(nanoseconds: 1)
    let cell = Grid.cell(of: location.coordinate)
    let reduced = location.reduced(to: cell)
    var expected = Location(
      coordinate: try #require(Grid.center(of: cell)),
      time: UTCTime(secondsSince1970: 999_999_900))
    expected.horizontalAccuracy = Accuracy(meters: 5000, confidencePercent: 68, basis: .dilution)
    expected.source = "ttyACM0"
    expected.isSimulated = true
    expected.isReplayed = true
    #expect(reduced == expected)
    #expect(reduced.horizontalAccuracyMeters == 5000)
  }

  @Test func `simulated and replayed locations do not change the cell of the board`() {
    var accuracy = ReducedAccuracy()
    var (simulated, replayed) = (Location.here, Location.here)
    (simulated.isSimulated, replayed.isReplayed) = (true, true)
    for (second, location) in [simulated, replayed].enumerated() {
      let now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000_000)
      #expect(accuracy.take(location, at: now) != nil)
      #expect(accuracy.memory.cell == nil)
    }
    #expect(accuracy.take(.here, at: .at(2000)) != nil)
    #expect(accuracy.memory.cell != nil)
  }

  @Test func `a reduced location is delivered every 15 minutes; a new service gets the last one once`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    let first = driver.call(.requestLocation, .location(.here))
    #expect(first.count == 1)
    driver.wait(899)
    #expect(driver.call(.requestLocation, .location(.north(9000))) == first)
    #expect(driver.call(.start(.updates), .location(.north(9000))) == first)
    #expect(driver.call(.location(.north(9000))) == [])
    driver.wait(1)
    #expect(driver.call(.location(.north(9000))) != first)
  }

  @Test func `the last reduced location is delivered once more after a stop and a start`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    for service in [LocationServiceKind.updates, .significantChanges] {
      let first = driver.call(.start(service), .location(.here))
      #expect(first.count == 1)
      _ = driver.call(.stop(service), .start(service))
      #expect(driver.call(.location(.north(9000)), .location(.north(9000))) == first)
      _ = driver.call(.stop(service))
    }
  }

  @Test func `the last reduced location is delivered once more after a new grant`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    let first = driver.act(.start(.updates), .listenersChanged(1), .location(.here))
    driver.wait(100)
    let ended = driver.call(.policy(.decided(.undecided)), .policy(.decided(.reducedAlways)))
    #expect(ended.filter(\.isAuthorization).count == 2)
    // The actions are the same, except that no first location is noted.
    let again = driver.act(.location(.north(9000)), .location(.north(9000)))
    #expect(again == first.filter { if case .note = $0 { false } else { true } })
  }

  @Test func `the last reduced location is delivered again only to a new live reader`() async throws {
    let clock = ManualClock()
    let manager = LocationManager(policy: ScriptedPolicy(.reducedAlways), purpose: "Test", clock: clock)
    var early = manager.liveUpdates().makeAsyncIterator()
    #expect(await early.next()?.location == nil)
    manager.ingest(.fix(at: .here))
    let first = try #require(await early.next()?.location)
    clock.advance(by: .seconds(899))
    var late = manager.liveUpdates().makeAsyncIterator()
    #expect(await late.next()?.location == first)
    clock.advance(by: .seconds(1))
    // When the next location is due, a new reader does not receive the old one.
    var last = manager.liveUpdates().makeAsyncIterator()
    #expect(await last.next()?.location == nil)
    manager.ingest(.fix(at: .north(9000)))
    let second = try #require(await early.next())
    #expect(second.missedCount == 0 && second.location != first)
    #expect(await late.next()?.location == second.location)
    #expect(await last.next()?.location == second.location)
  }

  @Test func `a location that no service needs does not delay the next reduced location`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = driver.call(.location(.north(9000)))
    driver.wait(600)
    let cell = Grid.cell(of: Location.here.coordinate)
    #expect(driver.call(.requestLocation, .location(.here)) == [.didUpdateLocations([Location.here.reduced(to: cell)])])
  }

  @Test func `a program with full accuracy can choose reduced accuracy`() {
    var driver = MachineDriver(.authorizedAlways)
    driver.set { $0.desiredAccuracy = .reduced }
    let calls = driver.call(.start(.updates), .location(.here), .location(.here))
    let cell = Grid.cell(of: Location.here.coordinate)
    #expect(calls == [.didUpdateLocations([Location.here.reduced(to: cell)])])
  }

  @Test func `reduced accuracy reveals no satellites and no heading`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    var fix = Fix(mode: .none)
    fix.satellitesUsed = 3
    fix.headingDegreesTrue = 5
    fix.rollDegrees = 2
    fix.time = UTCTime(secondsSince1970: 5)
    fix.source = "ttyACM0"
    var located = fix
    (located.mode, located.coordinate) = (.twoDimensional, Location.here.coordinate)
    #expect(Location(located)?.heading == Heading(located))
    #expect(Location(located)?.reduced(to: Grid.cell(of: Location.here.coordinate)).heading == nil)
    var bare = Fix(mode: .none)
    bare.source = "ttyACM0"
    _ = driver.call(.start(.updates), .start(.heading), .positionLost)
    #expect(driver.call(.noPosition(fix)) == [.didReceiveFixWithoutPosition(bare)])
    #expect(driver.call(.heading(Heading(degreesTrue: 5))) == [])
    _ = driver.call(.sky(7))
    #expect(driver.machine.update(nil).satellitesInView == nil)
    var authorized = MachineDriver(.authorizedAlways)
    _ = authorized.call(.start(.updates), .positionLost)
    #expect(authorized.call(.noPosition(fix)) == [.didReceiveFixWithoutPosition(fix)])
  }

  @Test func `under reduced accuracy, epochs without a position are reported as rarely as locations`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = driver.call(.start(.updates), .positionLost)
    var reported: [Int64] = []
    for second in 0..<1900 as Range<Int64> {
      driver.wait(1)
      var fix = Fix(mode: .none)
      // The receiver's time is present in some fixes only and does not affect the rate.
      if second % 3 == 0 { fix.time = UTCTime(secondsSince1970: 5_000_000 + second) }
      if !driver.call(.noPosition(fix)).isEmpty { reported.append(second) }
    }
    #expect(reported == [0, 900, 1800])
    // The epochs without a position do not delay a location.
    #expect(driver.call(.location(.here)).count == 1)
  }

  @Test func `a recording replayed at full speed limits epochs without a position by its recorded times`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = driver.call(.start(.updates), .positionLost)
    var count = 0
    for second in 0..<1801 as Range<Int64> {
      var fix = Fix(mode: .none)
      fix.time = UTCTime(secondsSince1970: second)
      count += driver.call(.noPosition(fix)).count
    }
    #expect(count == 3)
  }

  /// Returns the seconds of an hour at which a callback or update occurs while fixes alternate.
  private func reportSeconds(_ driver: inout MachineDriver) -> [Int] {
    (0..<3600).filter { second in
      defer { driver.wait(1) }
      let event: MachineDriver.Event =
        second.isMultiple(of: 2) ? .location(.here) : .noPosition(Fix(mode: .none))
      return driver.act(event).contains { action in
        switch action {
        case .call, .update: true
        default: false
        }
      }
    }
  }

  @Test func `under reduced accuracy, alternating fixes and losses are reported as rarely as locations`() {
    var updating = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = updating.act(.start(.updates), .listenersChanged(1))
    #expect(reportSeconds(&updating) == [0, 1, 900, 901, 1800, 1801, 2700, 2701])
    var listening = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = listening.act(.listenersChanged(1))
    #expect(reportSeconds(&listening) == [0, 900, 901, 1800, 2700, 2701])
  }

  @Test func `under reduced accuracy, a lasting loss is reported when the timer fires`() {
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    _ = driver.act(.start(.updates), .listenersChanged(1), .location(.here))
    driver.wait(10)
    #expect(driver.act(.positionLost) == [.startTimer(.reducedReception, .seconds(890))])
    #expect(driver.act(.receiverFound, .positionLost) == [])
    #expect(!driver.machine.diagnostics.contains(.locationUnavailable))
    driver.wait(890)
    let diagnostics: LocationDiagnostics = [.accuracyLimited, .locationUnavailable, .noReceiver]
    #expect(
      driver.act(.timedOut(.reducedReception))
        == [
          .call(.didFailWithError(.locationUnknown)),
          .update(LocationUpdate(diagnostics: diagnostics)),
        ])
    #expect(driver.act(.positionLost) == [])
  }

  @Test func `the reception reported under full accuracy is kept when accuracy is reduced`() {
    var driver = MachineDriver(.authorizedAlways)
    _ = driver.act(.start(.updates), .location(.here), .policy(.decided(.reducedAlways)))
    #expect(driver.machine.diagnostics == .accuracyLimited)
  }

  @Test func `regions are refused under reduced accuracy`() {
    let region = CircularRegion(center: Location.here.coordinate, radiusMeters: 100, identifier: "a")
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    #expect(driver.call(.startMonitoring(region)) == [.monitoringDidFail(region, .regionMonitoringDenied)])
    #expect(driver.machine.monitoredRegions.isEmpty)
  }
}
