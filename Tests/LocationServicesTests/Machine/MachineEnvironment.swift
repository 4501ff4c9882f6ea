// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

@testable import LocationServices

/// A machine and its callback queue, for tests with random steps.
struct MachineEnvironment {
  enum Step: CustomStringConvertible {
    case event(LocationMachine.Event)
    /// The delegate receives the next callback.
    case deliver
    case wait(seconds: Int64)
    /// A new machine replaces the old one, as after a restart or in a second manager.
    case restart

    var description: String {
      switch self {
      case .event(let event): "\(event)"
      case .deliver: "deliver"
      case .wait(let seconds): "wait \(seconds) s"
      case .restart: "restart"
      }
    }
  }

  /// The results of a step.
  struct Outcome {
    var actions: [LocationMachine.Action] = []
    var delivered: LocationCallback?
  }

  var machine: LocationMachine
  var deliveries: Deliveries
  var now = MonotonicTime.at(0)

  private let initial: Authorization

  init(_ initial: Authorization) {
    self.initial = initial
    machine = LocationMachine(AuthorizationState(initial), purpose: "Test")
    deliveries = Deliveries(reported: initial)
  }

  mutating func take(_ step: Step) -> Outcome {
    var outcome = Outcome()
    switch step {
    case .event(let event):
      // Callbacks queued for the previous delegate are dropped.
      if event == .attached { deliveries.attach(DelegateReference()) }
      outcome.actions = machine.handle(event, at: now)
      for action in outcome.actions { deliveries.take(action) }
    case .deliver: outcome.delivered = deliveries.next()
    case .restart:
      let memory = machine.reducedMemory
      let later = now
      self = MachineEnvironment(initial)
      machine.reducedMemory = memory
      now = later
    case .wait(let seconds): now = now.advanced(byNanoseconds: seconds * 1_000_000_000)
    }
    return outcome
  }
}

/// A property that must hold after every step of every sequence.
protocol Invariant {
  init()
  /// Returns a description of the violation; `nil` if the property holds.
  mutating func check(
    _ step: MachineEnvironment.Step, _ outcome: MachineEnvironment.Outcome,
    in environment: MachineEnvironment
  ) -> String?
}

/// Runs random sequences until one violates an invariant; returns the steps that are necessary.
func counterexample<I: Invariant>(
  to _: I.Type, from initial: [Authorization], seed: UInt64,
  sequences: Int = RandomInputs.count(100_000),
  length: Int = 10, _ random: (inout SeededGenerator) -> MachineEnvironment.Step
) -> String? {
  var generator = SeededGenerator(seed: seed)
  var steps: [MachineEnvironment.Step] = []
  for number in 0..<sequences {
    let start = initial[number % initial.count]
    steps.removeAll(keepingCapacity: true)
    for _ in 0..<length { steps.append(random(&generator)) }
    guard var (end, reason) = failure(of: I.self, from: start, steps) else { continue }
    // Remove the steps after the failure, then each step without which the sequence still fails.
    var failing = Array(steps.prefix(end + 1))
    var index = 0
    while index < failing.count {
      var shorter = failing
      shorter.remove(at: index)
      if let failed = failure(of: I.self, from: start, shorter) {
        (end, reason) = failed
        failing = Array(shorter.prefix(end + 1))
        index = 0
      } else {
        index += 1
      }
    }
    let trace = failing.map { "  \($0)" }.joined(separator: "\n")
    return "\(reason); initial authorization \(start), steps:\n\(trace)"
  }
  return nil
}

private func failure<I: Invariant>(
  of _: I.Type, from initial: Authorization, _ steps: [MachineEnvironment.Step]
) -> (Int, String)? {
  var environment = MachineEnvironment(initial)
  var invariant = I()
  for (index, step) in steps.enumerated() {
    let outcome = environment.take(step)
    if let reason = invariant.check(step, outcome, in: environment) { return (index, reason) }
  }
  return nil
}
