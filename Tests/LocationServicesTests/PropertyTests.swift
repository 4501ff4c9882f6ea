// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// What holds under any sequence of events; 100,000 sequences each.
@Suite("Under any sequence of events", .timeLimit(.minutes(5)))
struct PropertyTests {
  typealias Event = LocationMachine.Event
  typealias Step = MachineWorld.Step

  private static let starts: [Authorization] = [
    .undecided, .always, .inUse, .denied, .reducedAlways,
  ]
  private static let region = CircularRegion(
    center: Location.here.coordinate, radiusMeters: 100, identifier: "here")

  private static let policy: [Event] = [
    .policy(.decided(.always)), .policy(.decided(.inUse)), .policy(.decided(.denied)),
    .policy(.decided(.restricted)), .policy(.decided(.undecided)),
    .policy(.decided(.reducedAlways)), .policy(.deniedGlobally), .policy(.inUse(false)),
    .policy(.inUse(true)), .policy(.refused(.whenInUse)), .policy(.refused(.always)),
    .policy(.lapsed(.always)), .policy(.fullAccuracyEnded), .activityBegan(reason: "test"),
    .activityEnded, .requestAuthorization(.whenInUse), .requestAuthorization(.always),
    .answered(1, .decided(.inUse)), .answered(2, .pending), .answered(1, .decided(.denied)),
    .requestFullAccuracy(id: 1, key: "map"),
    .answeredFullAccuracy(number: 1, id: 1, .granted(duration: nil)),
    .answeredFullAccuracy(number: 2, id: 1, .declined), .timedOut(.fullAccuracy(1)),
  ]
  private static let services: [Event] = [
    .start(.updates), .stop(.updates), .start(.visits), .start(.significantChanges),
    .start(.heading), .requestLocation, .startMonitoring(region), .requestState(region),
    .timedOut(.oneShot(1)), .timedOut(.oneShot(2)), .listenersChanged(1), .attached,
    .disconnected,
  ]
  private static let fixes: [Event] = [
    .location(.here), .location(.here), .location(.north(500)), .noPosition(Fix(mode: .none)),
    .positionLost, .heading(Heading(degreesTrue: 5)), .sky(7),
  ]

  private static func anything(_ generator: inout SeededGenerator) -> Step {
    switch UInt8.random(in: 0..<10, using: &generator) {
    case 0..<3: .deliver
    case 3: .wait(seconds: Int64.random(in: 1...1000, using: &generator))
    case 4..<6: .event(policy.randomElement(using: &generator) ?? .attached)
    case 6..<8: .event(services.randomElement(using: &generator) ?? .attached)
    default: .event(fixes.randomElement(using: &generator) ?? .attached)
    }
  }

  // MARK: No fix outside a grant

  struct Granted: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      for action in outcome.actions {
        let tells =
          switch action {
          case .call(let callback): callback.tellsWhere
          case .update(let update): update.location != nil || update.satellitesInView != nil
          default: false
          }
        if tells, !world.machine.authorization.mayDeliver { return "\(action) outside a grant" }
      }
      return nil
    }
  }

  @Test("no fix comes outside a grant")
  func granted() {
    #expect(
      counterexample(to: Granted.self, from: Self.starts, seed: 1, length: 40, Self.anything)
        == nil)
  }

  // MARK: Nothing after a revocation

  struct Withdrawn: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      guard let delivered = outcome.delivered else { return nil }
      let authorization = world.machine.authorization
      if delivered.tellsWhere, !authorization.effective.status.isAuthorized {
        return "\(delivered) after the revocation was queued"
      }
      if case .didUpdateLocations(let told) = delivered, authorization.isReduced,
        told.contains(where: { $0.coordinate == Location.here.coordinate })
      {
        return "\(delivered) after the narrowing was queued"
      }
      return nil
    }
  }

  @Test("nothing that tells where comes after a revocation is queued")
  func withdrawn() {
    #expect(
      counterexample(to: Withdrawn.self, from: Self.starts, seed: 2, length: 40, Self.anything)
        == nil)
  }

  struct NoCrossing: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      switch outcome.delivered {
      case .didEnterRegion: "entered"
      case .didExitRegion: "left"
      default: nil
      }
    }
  }

  @Test("borders are crossed in such sequences, so that what holds for them is looked at")
  func crossings() throws {
    let found = try #require(
      counterexample(
        to: NoCrossing.self, from: [.always], seed: 2, sequences: 20_000, length: 40,
        Self.anything))
    #expect(found.hasPrefix("entered") || found.hasPrefix("left"), "\(found)")
  }

  // MARK: No status twice

  /// As the delegate hears it: what is queued twice may be told once, never the other way round.
  struct News: Invariant {
    private var told: Authorization?
    /// A delegate that is set is told what holds, whatever the one before it knew.
    private var isNew = false
    private var isGone = false

    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      if case .event(.attached) = step { isNew = true }
      // The program is gone, and its full accuracy with it; nobody is told.
      if case .event(.disconnected) = step { isGone = true }
      if isGone { return nil }
      guard case .didChangeAuthorization(let authorization)? = outcome.delivered else { return nil }
      defer { (told, isNew) = (authorization, false) }
      return told == authorization && !isNew ? "\(authorization) was told twice" : nil
    }
  }

  @Test("no status is told twice in a row")
  func news() {
    #expect(
      counterexample(to: News.self, from: Self.starts, seed: 3, length: 20, Self.anything) == nil)
  }

  // MARK: What is read agrees with what is told

  struct Agreement: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      let deliveries = world.deliveries
      switch outcome.delivered {
      case .didChangeAuthorization(let authorization) where deliveries.told != authorization:
        return "\(deliveries.told) is read inside the call of \(authorization)"
      case .didUpdateLocations(let locations) where deliveries.location != locations.last:
        return "another location is read inside the call"
      default: break
      }
      if deliveries.location != nil, !deliveries.told.status.isAuthorized {
        return "a location can be read under \(deliveries.told)"
      }
      return nil
    }
  }

  @Test("what is read inside a callback agrees with it")
  func agreement() {
    #expect(counterexample(to: Agreement.self, from: Self.starts, seed: 4, Self.anything) == nil)
  }

  // MARK: One answer to one request

  struct OneAnswer: Invariant {
    private var accepted = 0
    private var refused = 0
    private var answers = 0

    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      if outcome.actions.notes.contains(.started(.oneShot)) { accepted += 1 }
      let now = outcome.actions.callbacks.count {
        switch $0 {
        case .didUpdateLocations, .didFailWithError: true
        default: false
        }
      }
      if case .event(.start) = step, now > 1 || outcome.actions.tellLocation {
        return "starting updates answered a request"
      }
      // What comes while updates run is theirs: they end a request without an answer.
      guard !world.machine.started.contains(.updates) else {
        return world.machine.oneShot == nil ? nil : "a request waits beside updates"
      }
      if case .event(.requestLocation) = step { refused += now } else { answers += now }
      if now > 1 { return "\(now) answers at once" }
      // A pending one has no answer yet.
      let pending = world.machine.oneShot == nil ? 0 : 1
      if answers + pending > accepted { return "\(answers) answers to \(accepted) requests" }
      return nil
    }
  }

  @Test("a request for one location has one answer at most")
  func oneAnswer() {
    let found = counterexample(to: OneAnswer.self, from: Self.starts, seed: 5) { generator in
      switch UInt8.random(in: 0..<8, using: &generator) {
      case 0..<2: .event(.requestLocation)
      case 2: .event(.stop(.updates))
      case 3: .event(.timedOut(.oneShot(.random(in: 1...3, using: &generator))))
      case 4: .event(.start(.updates))
      case 5: .event(Self.policy.randomElement(using: &generator) ?? .attached)
      default: .event(.location(.north(0, accuracyMeters: 5)))
      }
    }
    #expect(found == nil)
  }

  // MARK: A reduced client

  /// What a client of reduced accuracy is told, in actions and in callbacks that waited.
  struct OnGrid: Invariant {
    private var last: (Location, MonotonicTime)?
    /// Where it was.
    private var places: [Coordinate] = []

    /// The locations that it is told in a step.
    static func told(_ outcome: MachineWorld.Outcome) -> [Location] {
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
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      if case .event(.location(let location)) = step { places.append(location.coordinate) }
      guard world.machine.authorization.isReduced else { return nil }
      for told in Self.told(outcome) {
        let cell = ReducedAccuracyGrid.cell(of: told.coordinate)
        if ReducedAccuracyGrid.center(of: cell) != told.coordinate { return "\(told) is off" }
        if told.horizontalAccuracyMeters.map({ $0 >= 5000 }) != true { return "\(told) is exact" }
        let isAround = places.contains {
          $0.distanceMeters(to: told.coordinate) <= told.horizontalAccuracyMeters ?? 0
        }
        if !isAround { return "\(told) is around none of \(places)" }
        // Callbacks that waited tell what was told when they were queued.
        guard outcome.delivered == nil else { continue }
        if let last, last.0 != told, world.now.seconds(since: last.1) < 900 {
          return "told anew after \(world.now.seconds(since: last.1)) s"
        }
        if last?.0 != told { last = (told, world.now) }
      }
      return nil
    }
  }

  /// Noise around one point: whoever averages what is told gets what is told.
  struct OnePlace: Invariant {
    private var grid = OnGrid()
    private var places: Set<Coordinate> = []

    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      if let wrong = grid.check(step, outcome, in: world) { return wrong }
      guard world.machine.authorization.isReduced else { return nil }
      places.formUnion(OnGrid.told(outcome).map(\.coordinate))
      return places.count > 1 ? "two places told of one: \(places)" : nil
    }
  }

  /// The places alone: a new machine may tell at once.
  struct OneCell: Invariant {
    private var places: Set<Coordinate> = []

    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      places.formUnion(OnGrid.told(outcome).map(\.coordinate))
      return places.count > 1 ? "two places told of one: \(places)" : nil
    }
  }

  private static let accuracies: [Event] = [
    .policy(.decided(.always)), .policy(.decided(.reducedAlways)),
    .policy(.decided(.reducedAlways)), .requestFullAccuracy(id: 1, key: "map"),
    .answeredFullAccuracy(number: 1, id: 1, .granted(duration: nil)), .policy(.fullAccuracyEnded),
  ]

  @Test("a reduced client that moves, and is told in full now and then, is on the grid else")
  func moving() {
    var center = Location.here.coordinate
    var count: Int64 = 0
    let found = counterexample(
      to: OnGrid.self, from: [.reducedAlways, .always], seed: 8, length: 12
    ) { generator in
      if count % 12 == 0 {
        center = .at(
          .random(in: -80...80, using: &generator), .random(in: -179.9...179.9, using: &generator))
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
        // Some hundred metres to some kilometres a step, over borders of cells.
        let step = 0.03
        center = .at(
          center.latitudeDegrees + .random(in: -step...step, using: &generator),
          min(
            max(center.longitudeDegrees + .random(in: -step...step, using: &generator), -179.95),
            179.95))
        return .event(
          .location(Location(coordinate: center, time: UTCTime(secondsSince1970: count * 900))))
      }
    }
    #expect(found == nil)
  }

  @Test("a reduced client sees its cell alone, and cannot average its way closer")
  func onGrid() {
    // To the border and a tenth beyond: it counts as in its cell up to there.
    #expect(noisy(reach: 0.098, sequences: 100_000) == nil)
    // Farther it would be told of two cells: what is tried reaches that far.
    #expect(noisy(reach: 0.11, sequences: 20_000)?.hasPrefix("two places") == true)
  }

  /// A coordinate on a cell's edge, and how far noise there reaches: across by a part of the cell,
  /// along by a little.
  private static func edge(
    reach: Double, _ generator: inout SeededGenerator
  ) -> (Coordinate, north: Double, east: Double)? {
    var cell = ReducedAccuracyGrid.cell(
      of: .at(
        .random(in: -80...80, using: &generator), .random(in: -170...170, using: &generator)))
    guard let center = ReducedAccuracyGrid.center(of: cell) else { return nil }
    let band = ReducedAccuracyGrid.bandDegrees
    let along = 0.04 * band
    if Bool.random(using: &generator) {
      return (
        .at(center.latitudeDegrees + band / 2, center.longitudeDegrees), reach * band, along
      )
    }
    cell.column += 1
    guard let next = ReducedAccuracyGrid.center(of: cell) else { return nil }
    let width = next.longitudeDegrees - center.longitudeDegrees
    return (
      .at(center.latitudeDegrees, center.longitudeDegrees + width / 2), along, reach * width
    )
  }

  /// Tells a reduced client of noise at the edges of cells; what it finds out that it must not.
  private func noisy(reach: Double, sequences: Int) -> String? {
    var edge = (Location.here.coordinate, north: 0.0, east: 0.0)
    var count = 0
    return counterexample(
      to: OnePlace.self, from: [.reducedAlways], seed: 6, sequences: sequences, length: 16
    ) { generator in
      // Each sequence is somewhere else.
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
        // Each has a time of its own that is left when it is coarsened.
        let location = Location(
          coordinate: .at(
            center.latitudeDegrees + .random(in: -north...north, using: &generator),
            center.longitudeDegrees + .random(in: -east...east, using: &generator)),
          time: UTCTime(secondsSince1970: Int64(count) * 900))
        return .event(.location(location))
      }
    }
  }

  @Test("a reduced client that begins anew again and again is told no other cell")
  func beginsAnew() {
    var center = Location.here.coordinate
    var count = 0
    let found = counterexample(
      to: OneCell.self, from: [.reducedAlways], seed: 9, sequences: 20_000
    ) { generator in
      // Half of them on the edge of two cells.
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
            Location(
              coordinate: .at(
                center.latitudeDegrees + .random(in: -noise...noise, using: &generator),
                center.longitudeDegrees + .random(in: -noise...noise, using: &generator)),
              time: UTCTime(secondsSince1970: Int64(count) * 900))))
      }
    }
    #expect(found == nil)
  }

  // MARK: The test of the tests

  struct Never: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineWorld.Outcome, in world: MachineWorld
    ) -> String? {
      outcome.actions.callbacks.contains(.didUpdateLocations([.here])) ? "delivered" : nil
    }
  }

  @Test("a broken rule is found and told by the fewest steps that break it")
  func shrinks() throws {
    let found = try #require(
      counterexample(to: Never.self, from: [.always], seed: 7, Self.anything))
    #expect(found.split(separator: "\n").count == 3, "\(found)")
  }
}
