// SPDX-License-Identifier: Apache-2.0

import Positioning

/// What a group is asked to run.
struct SourceRequest: Sendable {
  /// What was asked for by name, in its order.
  let plans: [SourcePlan]
  /// Whether receivers that are plugged in join by themselves.
  let autodetects: Bool
  /// The sources that were handed in, by the keys of their plans.
  let others: [String: any FixSource]

  init(_ members: [SourceGroup.Member]) {
    var (others, counts) = ([String: any FixSource](), [String: Int]())
    plans = members.compactMap { member in
      switch member {
      case .pluggedIn: return nil
      case .serial(let devnode, let baud):
        return .serial(devnode: devnode, baud: baud, requiresValidation: false)
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
  }

  /// The names of all; `auto` for those that are plugged in.
  var name: String {
    ((autodetects ? ["auto"] : []) + plans.map(\.name)).joined(separator: ", ")
  }

  /// What discovery is asked for.
  ///
  /// Returns the policy; `nil` where no receiver could be of interest.
  func discoveryPolicy(_ usual: DiscoveryPolicy) -> DiscoveryPolicy? {
    let named = plans.compactMap { plan in
      if case .serial(let devnode, _, _) = plan { devnode } else { nil }
    }
    guard autodetects || !named.isEmpty else { return nil }
    var policy = usual
    policy.named.formUnion(named)
    return policy
  }
}
