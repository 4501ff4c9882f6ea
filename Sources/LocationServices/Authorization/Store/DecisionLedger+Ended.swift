// SPDX-License-Identifier: Apache-2.0

/// Answers that are over.
///
/// Who had one is asked about anew. Were it forgotten, whoever is allowed as long as nobody has
/// said anything would have more at its end than it gave.
extension DecisionLedger {
  /// Whether anything was ever answered about a client, and not forgotten by an operator.
  ///
  /// - Parameter client: The client.
  /// - Returns: Whether an answer for it is there, holds or not, or was and is over.
  func hasAnswered(_ client: ClientIdentity) -> Bool {
    decisions.contains { $0.selector.matches(client) } || ended.contains { $0.matches(client) }
  }

  /// Remembers that an answer is over; beyond what can be remembered, that everybody's are.
  mutating func remember(_ selector: ClientSelector) {
    guard !ended.contains(selector), !ended.contains(.everyone) else { return }
    if ended.count < Self.mostDecisions { ended.append(selector) } else { ended = [.everyone] }
  }
}
