// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// The policies of the connected clients, one policy for each client.
///
/// A client that reconnects gets a new policy. From then on, pending updates of the client's old
/// policy are ignored.
struct OpenPolicies<Key: Hashable & Sendable, Policy: AnyObject & Sendable>: Sendable {
  private struct Open: Sendable {
    var policy: Policy
    var listening: PolicyListening
  }

  private var open: [Key: Open] = [:]

  /// The policy of a client; `nil` if the client has no open policy.
  func policy(of key: Key) -> Policy? { open[key]?.policy }

  /// Whether a policy is the current policy of a client.
  func isCurrent(_ policy: Policy, of key: Key) -> Bool { open[key]?.policy === policy }

  /// Stores the policy of a client, and the subscription to its updates.
  mutating func open(_ key: Key, _ policy: Policy, _ listening: PolicyListening) {
    open[key] = Open(policy: policy, listening: listening)
  }

  /// Removes the policy of a client, and returns the subscription for the caller to end.
  mutating func close(_ key: Key) -> PolicyListening? {
    open.removeValue(forKey: key)?.listening
  }
}
