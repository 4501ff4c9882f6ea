// SPDX-License-Identifier: Apache-2.0

import Positioning

/// What a group is asked to run.
struct SourceRequest: Sendable {
  /// What was asked for by name, in its order.
  let plans: [SourcePlan]
  /// Whether receivers that are plugged in join by themselves.
  let takesPluggedIn: Bool
  /// The sources that were handed in, by the places that the plans give them.
  let others: [Int: any FixSource]
  /// The first place that no source has had.
  private let nextPlace: Int

  /// Makes a request, after another one or as the first.
  ///
  /// - Parameters:
  ///   - members: What is asked for.
  ///   - before: What was asked for before: an object that was handed in then keeps its place.
  init(_ members: [SourceGroup.Member], after before: SourceRequest? = nil) {
    var (others, nextPlace) = ([Int: any FixSource](), before?.nextPlace ?? 0)
    plans = members.compactMap { member in
      switch member {
      case .pluggedIn: return nil
      case .serial(let devnode, let baud):
        return .serial(devnode: devnode, baud: baud, needsProof: false)
      case .gpsd(let address): return .gpsd(address)
      case .other(let source):
        let place = before?.place(of: source) ?? nextPlace
        others[place] = source
        nextPlace = max(nextPlace, place + 1)
        return .other(place: place, name: source.name)
      }
    }
    takesPluggedIn = members.contains { if case .pluggedIn = $0 { true } else { false } }
    self.others = others
    self.nextPlace = nextPlace
  }

  /// The names of all; `auto` for those that are plugged in.
  var name: String {
    ((takesPluggedIn ? ["auto"] : []) + plans.map(\.name)).joined(separator: ", ")
  }

  /// What discovery is asked for.
  ///
  /// - Parameter usual: What decides about devices that nobody named.
  /// - Returns: The policy; `nil` where no receiver could be of interest.
  func discoveryPolicy(_ usual: DiscoveryPolicy) -> DiscoveryPolicy? {
    let named = plans.compactMap { plan in
      if case .serial(let devnode, _, _) = plan { devnode } else { nil }
    }
    guard takesPluggedIn || !named.isEmpty else { return nil }
    var policy = usual
    policy.named.formUnion(named)
    return policy
  }

  /// The place of a source that is the very same object; a value is another one each time.
  private func place(of source: any FixSource) -> Int? {
    guard type(of: source) is AnyClass else { return nil }
    return others.first {
      type(of: $0.value) is AnyClass && $0.value as AnyObject === source as AnyObject
    }?
    .key
  }
}
