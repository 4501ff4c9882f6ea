// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// Properties that hold for every sequence of events; each is tested with 100,000 sequences.
@Suite("Location machine under random events", .oneAtATime, .timeLimit(.minutes(20)))
struct PropertyTests {
  typealias Event = LocationMachine.Event
  typealias Step = MachineEnvironment.Step

  static let starts: [Authorization] = [
    .undecided, .always, .inUse, .denied, .reducedAlways,
  ]
  static let region = CircularRegion(center: Location.here.coordinate, radiusMeters: 100, identifier: "here")

  static let policy: [Event] = [
    .policy(.decided(.always)), .policy(.decided(.inUse)), .policy(.decided(.denied)),
    .policy(.decided(.restricted)), .policy(.decided(.undecided)),
    .policy(.decided(.reducedAlways)), .policy(.deniedGlobally),
    .policy(.refused(.whenInUse)), .policy(.refused(.always)),
    .policy(.lapsed(.always)), .policy(.fullAccuracyEnded), .activityBegan(reason: "test"),
    .activityEnded, .requestAuthorization(.whenInUse), .requestAuthorization(.always),
    .answered(1, .decided(.inUse)), .answered(2, .pending), .answered(1, .decided(.denied)),
    .requestFullAccuracy(id: 1, key: "map"),
    .answeredFullAccuracy(number: 1, id: 1, .granted(duration: nil)),
    .answeredFullAccuracy(number: 2, id: 1, .declined), .timedOut(.fullAccuracy(1)),
  ]
  static let services: [Event] = [
    .start(.updates), .stop(.updates), .start(.visits), .start(.significantChanges),
    .start(.heading), .requestLocation, .startMonitoring(region), .requestState(region),
    .timedOut(.oneShot(1)), .timedOut(.oneShot(2)), .listenersChanged(1), .attached,
    .disconnected,
  ]
  static let fixes: [Event] = [
    .location(.here), .location(.here), .location(.north(500)), .noPosition(Fix(mode: .none)),
    .positionLost, .heading(Heading(degreesTrue: 5)), .sky(7),
  ]

  static func randomStep(_ generator: inout SeededGenerator) -> Step {
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
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      for action in outcome.actions {
        let reveals =
          switch action {
          case .call(let callback): callback.containsLocation
          case .update(let update): update.location != nil || update.satellitesInView != nil
          default: false
          }
        if reveals, !environment.machine.authorization.mayDeliver { return "\(action) outside a grant" }
      }
      return nil
    }
  }

  @Test func `no fix is delivered without a grant`() {
    #expect(counterexample(to: Granted.self, from: Self.starts, seed: 1, length: 40, Self.randomStep) == nil)
  }

  // MARK: No position after a revocation

  struct Withdrawn: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      guard let delivered = outcome.delivered else { return nil }
      let authorization = environment.machine.authorization
      if delivered.containsLocation, !authorization.effective.status.isAuthorized {
        return "\(delivered) after the revocation was queued"
      }
      if case .didUpdateLocations(let locations) = delivered, authorization.isReduced,
        locations.contains(where: { $0.coordinate == Location.here.coordinate })
      {
        return "\(delivered) after the narrowing was queued"
      }
      return nil
    }
  }

  @Test func `no position is delivered after a revocation has been queued`() {
    #expect(counterexample(to: Withdrawn.self, from: Self.starts, seed: 2, length: 40, Self.randomStep) == nil)
  }

  struct NoCrossing: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      switch outcome.delivered {
      case .didEnterRegion: "entered"
      case .didExitRegion: "left"
      default: nil
      }
    }
  }

  @Test func `the random sequences contain region crossings`() throws {
    let found = try #require(
      counterexample(to: NoCrossing.self, from: [.always], seed: 2, sequences: 20_000, length: 40, Self.randomStep))
    #expect(found.hasPrefix("entered") || found.hasPrefix("left"), "\(found)")
  }

  // MARK: No repeated status

  /// Checks what the delegate receives; the queue may contain a status twice and deliver it once.
  struct NoRepeatedStatus: Invariant {
    private var reported: Authorization?
    /// Whether a new delegate was set, which receives the current status again.
    private var isNew = false
    private var hasEnded = false

    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      if case .event(.attached) = step { isNew = true }
      // The end of the program ends temporary full accuracy without a callback.
      if case .event(.disconnected) = step { hasEnded = true }
      if hasEnded { return nil }
      guard case .didChangeAuthorization(let authorization)? = outcome.delivered else { return nil }
      defer { (reported, isNew) = (authorization, false) }
      return reported == authorization && !isNew ? "\(authorization) was reported twice" : nil
    }
  }

  @Test func `no authorization is reported to a delegate twice in a row`() {
    #expect(counterexample(to: NoRepeatedStatus.self, from: Self.starts, seed: 3, length: 20, Self.randomStep) == nil)
  }

  // MARK: Properties agree with callbacks

  struct Agreement: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      let deliveries = environment.deliveries
      switch outcome.delivered {
      case .didChangeAuthorization(let authorization) where deliveries.reported != authorization:
        return "inside the callback for \(authorization), \(deliveries.reported) is read"
      case .didUpdateLocations(let locations) where deliveries.location != locations.last:
        return "inside the callback, another location is read"
      default: break
      }
      if deliveries.location != nil, !deliveries.reported.status.isAuthorized {
        return "a location can be read under \(deliveries.reported)"
      }
      return nil
    }
  }

  @Test func `manager properties that are read inside a callback agree with the callback`() {
    #expect(counterexample(to: Agreement.self, from: Self.starts, seed: 4, Self.randomStep) == nil)
  }

  // MARK: One answer per request

  struct OneAnswer: Invariant {
    private var accepted = 0
    private var refused = 0
    private var answers = 0

    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      if outcome.actions.notes.contains(.started(.oneShot)) { accepted += 1 }
      let newAnswers = outcome.actions.callbacks.count {
        switch $0 {
        case .didUpdateLocations, .didFailWithError: true
        default: false
        }
      }
      if case .event(.start) = step, newAnswers > 1 || outcome.actions.deliversLocation {
        return "starting updates answered a request"
      }
      // Running updates deliver all locations, and end a one-shot request without an answer.
      guard !environment.machine.isInUse(.updates) else {
        return !environment.machine.isInUse(.oneShot) ? nil : "a one-shot request waits while updates run"
      }
      if case .event(.requestLocation) = step {
        refused += newAnswers
      } else {
        answers += newAnswers
      }
      if newAnswers > 1 { return "\(newAnswers) answers at once" }
      // A pending request has no answer yet.
      let pending = environment.machine.isInUse(.oneShot) ? 1 : 0
      if answers + pending > accepted { return "\(answers) answers to \(accepted) requests" }
      return nil
    }
  }

  @Test func `a one-shot request has at most one answer`() {
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

  // MARK: Self-test of the search

  struct NoDelivery: Invariant {
    mutating func check(
      _ step: Step, _ outcome: MachineEnvironment.Outcome, in environment: MachineEnvironment
    ) -> String? {
      outcome.actions.callbacks.contains(.didUpdateLocations([.here])) ? "delivered" : nil
    }
  }

  @Test func `the random search finds a violated invariant and removes unnecessary steps`() throws {
    let found = try #require(counterexample(to: NoDelivery.self, from: [.always], seed: 7, Self.randomStep))
    #expect(found.split(separator: "\n").count == 3, "\(found)")
  }
}
