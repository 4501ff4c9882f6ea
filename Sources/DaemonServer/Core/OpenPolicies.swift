// SPDX-License-Identifier: Apache-2.0

/// The policies of the clients that are connected, one each.
///
/// A client that goes and comes again has another: what the first one said may still be on its way,
/// and is not heard any more.
struct OpenPolicies<Key: Hashable & Sendable, Policy: AnyObject & Sendable>: Sendable {
  private struct Open: Sendable {
    var policy: Policy
    var listening: Task<Void, Never>
  }

  private var open: [Key: Open] = [:]

  /// The policy of a client; `nil` where none is open.
  func policy(of key: Key) -> Policy? { open[key]?.policy }

  /// Whether what a policy says of a client counts.
  func hears(_ policy: Policy, of key: Key) -> Bool { open[key]?.policy === policy }

  /// Keeps the policy of a client, with who listens to it.
  mutating func open(_ key: Key, _ policy: Policy, _ listening: Task<Void, Never>) {
    open[key] = Open(policy: policy, listening: listening)
  }

  /// Lets the policy of a client go; gives who listens to it, to be cancelled.
  mutating func close(_ key: Key) -> Task<Void, Never>? {
    open.removeValue(forKey: key)?.listening
  }
}
