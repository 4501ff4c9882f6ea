// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The requested sources of a group.
struct SourceRequest: Sendable {
  /// The plans of the named sources, in the requested order.
  let plans: [SourcePlan]
  /// Whether discovered receivers are added automatically.
  let autodetects: Bool
  /// The sources supplied by the caller, by the keys of their plans.
  let others: [String: any FixSource]
  /// The names of the sources; `auto` denotes the discovered receivers.
  let name: String

  init(_ members: [SourceGroup.Member]) {
    var (others, counts) = ([String: any FixSource](), [String: Int]())
    plans = members.compactMap { member in
      switch member {
      case .pluggedIn: return nil
      case .serial(let devnode, let baud, let allowsMissingChecksum):
        return .serial(
          devnode: devnode, baud: baud, requiresValidation: false,
          allowsMissingChecksum: allowsMissingChecksum)
      case .gpsd(let address): return .gpsd(address)
      case .other(let source, let id):
        let id = id ?? source.name
        let count = counts[id, default: 0] + 1
        counts[id] = count
        let key = count > 1 ? "\(id) #\(count)" : id
        others[key] = source
        return .other(key: key, name: source.name)
      }
    }
    autodetects = members.contains { if case .pluggedIn = $0 { true } else { false } }
    self.others = others
    // Read for each event.
    name = ((autodetects ? ["auto"] : []) + plans.map(\.name)).joined(separator: ", ")
  }

  /// Returns the policy for the discovery, or `nil` if no discovery is needed.
  ///
  /// Adds the named ports to the given policy.
  func discoveryPolicy(_ base: DiscoveryPolicy) -> DiscoveryPolicy? {
    let named = plans.compactMap { plan in
      if case .serial(let devnode, _, _, _) = plan { devnode } else { nil }
    }
    guard autodetects || !named.isEmpty else { return nil }
    var policy = base
    policy.named.formUnion(named)
    return policy
  }
}
