// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Positioning

/// A synchronous rule that passes or holds each location.
package protocol GateRule: Sendable {
  /// Decides whether to pass a location.
  mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict
}

/// Runs a rule as a gate, and reports each change of its verdict.
///
/// Each run starts with the initial rule, which has passed no location yet.
package struct RuleGate<Rule: GateRule>: Gate {
  /// The name in reports and in the status.
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
    _ input: AsyncStream<EnrichedLocation>,
    pass: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    var rule = rule
    var lastReported = Verdict.passes
    var heldCount = 0
    for await value in input {
      let verdict = rule.verdict(on: value.location, at: now())
      if verdict != .passes { heldCount += 1 }
      if verdict != lastReported {
        report(GateEvent(gate: name, verdict: verdict, heldCount: heldCount))
        lastReported = verdict
      }
      guard verdict == .passes else { continue }
      heldCount = 0
      pass(value)
    }
  }
}
