// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Positioning

/// Decides on one location after the other: a gate without a task of its own.
package protocol GateRule: Sendable {
  /// Decides on a location.
  mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict
}

/// Runs a rule as a gate; tells when it begins to hold, why else it holds, and when it passes again.
///
/// Each run begins with the rule as it was given: nothing has passed it.
package struct RuleGate<Rule: GateRule>: Gate {
  /// The name it is reported under.
  package let name: String
  private let rule: Rule
  private let now: @Sendable () -> MonotonicTime

  package init(_ name: String, _ rule: Rule, _ now: @escaping @Sendable () -> MonotonicTime) {
    self.name = name
    self.rule = rule
    self.now = now
  }

  /// Runs until the input ends or the task is cancelled.
  package func run(
    _ input: AsyncStream<Location>, pass: @escaping @Sendable (Location) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    var rule = rule
    var told = Verdict.passes
    var heldCount = 0
    for await location in input {
      let verdict = rule.verdict(on: location, at: now())
      if verdict != .passes { heldCount += 1 }
      if verdict != told {
        report(GateEvent(gate: name, verdict: verdict, heldCount: heldCount))
        told = verdict
      }
      guard verdict == .passes else { continue }
      heldCount = 0
      pass(location)
    }
  }
}
