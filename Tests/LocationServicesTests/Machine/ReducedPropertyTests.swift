// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

extension PropertyTests {
  // MARK: Reduced accuracy

  /// Checks the locations that a client with reduced accuracy receives, at once or from the queue.
  struct OnGrid: Invariant {
    private var last: (Location, MonotonicTime)?
    /// The positions of the board.
    private var places: [Coordinate] = []

    /// Returns the locations that the client receives in a step.
    static func delivered(_ outcome: MachineEnvironment.Outcome) -> [Location] {
      let actions = outcome.actions + (outcome.delivered.map { [.call($0)] } ?? [])
      return actions.compactMap { action in
        switch action {
        case .call(.didUpdateLocations(let locations)): locations.last
        case .update(let update): update.location
        default: nil
        }
      }
    }

    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      if case .event(.location(let location)) = step { places.append(location.coordinate) }
      guard environment.machine.authorization.isReduced else { return nil }
      for location in Self.delivered(outcome) {
        let cell = ReducedAccuracyGrid.cell(of: location.coordinate)
        if ReducedAccuracyGrid.center(of: cell) != location.coordinate {
          return "\(location) is not a grid point"
        }
        if location.horizontalAccuracyMeters.map({ $0 >= 5000 }) != true {
          return "\(location) is too accurate"
        }
        let isAround = places.contains {
          $0.distanceMeters(to: location.coordinate) <= location.horizontalAccuracyMeters ?? 0
        }
        if !isAround { return "\(location) does not cover any of \(places)" }
        // Queued callbacks hold locations of an earlier time.
        guard outcome.delivered == nil else { continue }
        if let last, last.0 != location, environment.now.seconds(since: last.1) < 900 {
          return "delivered again after \(environment.now.seconds(since: last.1)) s"
        }
        if last?.0 != location { last = (location, environment.now) }
      }
      return nil
    }
  }

  /// With noise around one point, the reduced location must always be the same.
  struct OnePlace: Invariant {
    private var grid = OnGrid()
    private var places: Set<Coordinate> = []

    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      if let violation = grid.check(step, outcome, in: environment) { return violation }
      guard environment.machine.authorization.isReduced else { return nil }
      places.formUnion(OnGrid.delivered(outcome).map(\.coordinate))
      return places.count > 1 ? "two locations for one place: \(places)" : nil
    }
  }

  /// Checks the cell only, because a new machine may deliver a location at once.
  struct OneCell: Invariant {
    private var places: Set<Coordinate> = []

    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      places.formUnion(OnGrid.delivered(outcome).map(\.coordinate))
      return places.count > 1 ? "two locations for one place: \(places)" : nil
    }
  }

  private static let accuracies: [Event] = [
    .policy(.decided(.always)), .policy(.decided(.reducedAlways)),
    .policy(.decided(.reducedAlways)), .requestFullAccuracy(id: 1, key: "map"),
    .answeredFullAccuracy(number: 1, id: 1, .granted(duration: nil)), .policy(.fullAccuracyEnded),
  ]

  @Test func `a moving client receives grid points whenever its accuracy is reduced`() {
    var center = Location.here.coordinate
    var count: Int64 = 0
    let found = counterexample(to: OnGrid.self, from: [.reducedAlways, .always], seed: 8, length: 12) { generator in
      if count % 12 == 0 {
        center = .at(.random(in: -80...80, using: &generator), .random(in: -179.9...179.9, using: &generator))
      }
      count += 1
      switch UInt8.random(in: 0..<10, using: &generator) {
      case 0: return .event(.requestLocation)
      case 1: return .event(.start(.updates))
      case 2: return .event(.start(.significantChanges))
      case 3: return .event(Self.accuracies.randomElement(using: &generator) ?? .attached)
      case 4: return .event(.listenersChanged(1))
      case 5: return .deliver
      case 6: return .wait(seconds: .random(in: 1...1000, using: &generator))
      default:
        // A few hundred metres to a few kilometres per step, across cell borders.
        let step = 0.03
        center = .at(
          center.latitudeDegrees + .random(in: -step...step, using: &generator),
          min(max(center.longitudeDegrees + .random(in: -step...step, using: &generator), -179.95), 179.95))
        return .event(.location(Location(coordinate: center, time: UTCTime(secondsSince1970: count * 900))))
      }
    }
    #expect(found == nil)
  }

  @Test func `a stationary client with reduced accuracy receives a single cell despite noise`() {
    // Noise within the hysteresis of a tenth of the cell keeps the cell.
    #expect(noisy(reach: 0.098, sequences: RandomInputs.count(100_000)) == nil)
    // Wider noise results in two cells, which shows that the noise reaches the border.
    #expect(noisy(reach: 0.11, sequences: 20_000)?.hasPrefix("two locations") == true)
  }

  /// Returns a coordinate on a cell border and the noise amplitudes: wide across the border, small
  /// along it.
  private static func edge(
    reach: Double, _ generator: inout SeededGenerator
  ) -> (Coordinate, north: Double, east: Double)? {
    var cell = ReducedAccuracyGrid.cell(
      of: .at(.random(in: -80...80, using: &generator), .random(in: -170...170, using: &generator)))
    guard let center = ReducedAccuracyGrid.center(of: cell) else { return nil }
    let band = ReducedAccuracyGrid.bandDegrees
    let along = 0.04 * band
    if Bool.random(using: &generator) {
      return (.at(center.latitudeDegrees + band / 2, center.longitudeDegrees), reach * band, along)
    }
    cell.column += 1
    guard let next = ReducedAccuracyGrid.center(of: cell) else { return nil }
    let width = next.longitudeDegrees - center.longitudeDegrees
    return (.at(center.latitudeDegrees, center.longitudeDegrees + width / 2), along, reach * width)
  }

  /// Simulates noise at cell borders for a reduced client; returns a violation, if any.
  private func noisy(reach: Double, sequences: Int) -> String? {
    var edge = (Location.here.coordinate, north: 0.0, east: 0.0)
    var count = 0
    return counterexample(
      to: OnePlace.self, from: [.reducedAlways], seed: 6, sequences: sequences, length: 16
    ) { generator in
      // Each sequence uses another border.
      if count % 16 == 0 { edge = Self.edge(reach: reach, &generator) ?? edge }
      count += 1
      switch UInt8.random(in: 0..<10, using: &generator) {
      case 8: return .event(Self.accuracies.randomElement(using: &generator) ?? .attached)
      case 9: return .deliver
      case 0: return .event(.requestLocation)
      case 1: return .event(.start(.updates))
      case 2: return .event(.listenersChanged(1))
      case 3: return .event(.timedOut(.oneShot(1)))
      case 4: return .wait(seconds: .random(in: 1...2000, using: &generator))
      default:
        let (center, north, east) = edge
        // The times differ even after they are rounded.
        let location = Location.at(
          center.latitudeDegrees + .random(in: -north...north, using: &generator),
          center.longitudeDegrees + .random(in: -east...east, using: &generator),
          time: UTCTime(secondsSince1970: Int64(count) * 900))
        return .event(.location(location))
      }
    }
  }

  @Test func `a reduced client that restarts repeatedly always receives the same cell`() {
    var center = Location.here.coordinate
    var count = 0
    let found = counterexample(
      to: OneCell.self, from: [.reducedAlways], seed: 9, sequences: RandomInputs.count(20_000)
    ) { generator in
      // Half of the positions are on the border of two cells.
      if count % 10 == 0 {
        let band = Double(Int64.random(in: -1700...1700, using: &generator))
        let isOnEdge = Bool.random(using: &generator)
        center = .at(
          (band + (isOnEdge ? 0 : 0.5)) * ReducedAccuracyGrid.bandDegrees,
          .random(in: -179.9...179.9, using: &generator))
      }
      count += 1
      switch UInt8.random(in: 0..<8, using: &generator) {
      case 0: return .event(.requestLocation)
      case 1: return .event(.start(.updates))
      case 2, 3: return .restart
      default:
        let noise = 0.001
        return .event(
          .location(
            .at(
              center.latitudeDegrees + .random(in: -noise...noise, using: &generator),
              center.longitudeDegrees + .random(in: -noise...noise, using: &generator),
              time: UTCTime(secondsSince1970: Int64(count) * 900))))
      }
    }
    #expect(found == nil)
  }
}
